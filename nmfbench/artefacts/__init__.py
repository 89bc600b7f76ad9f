"""Vocabulary of tables and figures: grids of trials, frames, pictures, estimates and claims.

A claim is tested in three steps. An *estimate* (:mod:`~nmfbench.artefacts.estimate`) is a mean with
its error over independent units. A *region* (:mod:`~nmfbench.artefacts.region`) is where the claim
places it: a lead, a margin, bounds. Both make a *finding* (:mod:`~nmfbench.artefacts.finding`), and
all findings of an artefact become verdicts together (:mod:`nmfbench.verdicts.verdict`). The usual
tests are in :mod:`~nmfbench.artefacts.comparisons` and :mod:`~nmfbench.artefacts.bounds`;
:mod:`nmfbench.papers` says how to write one.
"""
