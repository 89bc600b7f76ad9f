"""Artefacts and records together: tables, figures and verdicts.

``evaluate`` makes the table, the figure and the verdicts of an artefact from a store: ``choice``
picks its grid, ``reads`` its arrays. ``verdict`` decides the findings of all its claims together
and owns the words: confirmed, no lead, refuted, inconclusive, not run; ``sentences`` and
``numbers`` are the outcomes of what a paper states. ``known`` keeps looks that were taken;
``prospects`` predicts what more repeats would decide, and ``scheduler`` what to run next;
``course`` is what was decided over the hours, ``cores`` how long all would take on how many.
``book`` is the part of a store that is published.
"""
