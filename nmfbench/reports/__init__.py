"""From records to pages: evaluate an artefact, draw it, and set it beside the paper's claims."""
