"""Made-up records for bases, reconstructions and their errors: claims that hold or do not."""

WORLDS = {}
