"""Made-up records for the artefacts on recognition on faces: worlds where claims hold or do not."""

WORLDS = {}
