"""Scores of a result: of factors, clusterings, rankings, segmentations, detections, backgrounds.

Each is a plain function, most of them registered with a name and a direction; the tasks of
:mod:`nmfbench.tasks` call them. A metric is added by registering a function in a file of this
folder:

>>> from nmfbench.core.registry import metrics
>>> metrics["sparseness"].info["higher_is_better"]
True
"""
