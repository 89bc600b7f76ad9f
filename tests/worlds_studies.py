"""Made-up records for the artefacts on the studies of breakdown and of paired differences: worlds where claims hold or do not."""

WORLDS = {}
