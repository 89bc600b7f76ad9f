"""Made-up records for the studies of breakdown and of paired differences."""

WORLDS = {}
