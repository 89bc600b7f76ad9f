"""One solver against the baselines: criteria, plan, run, evaluation, figures and page.

``nmfbench compare SOLVER`` plans a fixed grid of small problems (:mod:`nmfbench.problems`) for each
task that the solver can do and that declares a score (:mod:`~nmfbench.comparison.criteria`,
:mod:`~nmfbench.comparison.plan`), computes the trials that have no record
(:mod:`~nmfbench.comparison.run`), makes tables of the records
(:mod:`~nmfbench.comparison.evaluate`) and draws them on a page (:mod:`~nmfbench.comparison.page`).

Data, corruption, split and start of a trial depend on its problem and repeat alone, so that solvers
are compared in pairs; and a baseline's trial that another comparison or a paper's artefact computed
is found in the store by its key.

``nmfbench score`` puts given factors beside baselines instead (:mod:`~nmfbench.comparison.score`).
"""
