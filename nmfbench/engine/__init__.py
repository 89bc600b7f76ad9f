"""Computation of trials.

``perform`` computes one in this process; ``worker`` does so in a child process, which has a
numerical target (:mod:`nmfbench.trials.target`), which :mod:`nmfbench.core.guard` limits and ends,
and which is forked from one that has its imports done (:mod:`nmfbench.core.template`) unless its
trials are timed; ``runner`` computes many, here or on a cluster, and hands each record to the store
(:mod:`nmfbench.records`) the moment its trial ends; ``budget`` is the time that they may take,
``makespan`` what they take on many cores. What several trials start from, such as a fit, is a trial
of its own, computed first (``Trial.base``).
"""
