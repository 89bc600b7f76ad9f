"""Made-up records for the artefacts on clustering of faces: worlds where claims hold or do not."""

WORLDS = {}
