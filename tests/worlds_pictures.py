"""Made-up records for the artefacts on pictures and reconstructions of faces: worlds where claims hold or do not."""

WORLDS = {}
