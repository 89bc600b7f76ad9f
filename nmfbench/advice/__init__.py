"""Advice for a matrix of one's own: noise and loss, rank, solver.

:mod:`~nmfbench.advice.noise` scores predictions of held-out entries in one unit for all losses;
:mod:`~nmfbench.advice.folds` makes the predictions; :mod:`~nmfbench.advice.advise` asks and
answers.
"""
