"""One folder a paper, one file an artefact."""
