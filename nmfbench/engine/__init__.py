"""From a trial to its record.

``trials`` names the unit of work and derives its key (``fingerprint`` versions the code) and its
``seeds``; ``perform`` computes it; ``worker`` does so in a child process, which has a numerical
``target`` and which ``guard`` limits and ends; ``runner`` computes many, here or on a cluster;
``store`` keeps the records, each with its ``provenance`` and a digest (``record`` says what one may
hold, ``repair`` sets damaged ones aside); ``results`` hands them out as tables. What several trials
start from, such as a fit, is a trial of its own, computed first (``Trial.base``).

An ``audit`` recomputes a sample of the records. ``agreement`` compares, up to what ``rounding``
does between two targets, and ``renew`` recomputes records of another target.
"""
