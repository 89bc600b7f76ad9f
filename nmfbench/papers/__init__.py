r"""Tables and figures: a folder for each paper, a file for each artefact.

Every module below is imported on first use, so that a new artefact is one new file; its paper's
notebook gets a line.

How to add an artefact
----------------------
The file says what is particular to a table or figure: its methods, its trials, what is computed of
their records, how that is drawn, and what the paper says of it. The rest is a vocabulary,
:mod:`nmfbench.artefacts`. A small one:

>>> from nmfbench.artefacts.artefact import Artefact
>>> from nmfbench.artefacts.claim import Claim
>>> from nmfbench.artefacts.comparisons import better
>>> from nmfbench.artefacts.frames import mean_table
>>> from nmfbench.artefacts.grids import Method, corrupted, cross, methods
>>> from nmfbench.artefacts.plots import Curves
>>> from nmfbench.engine.trials import Trial

*Methods* are solvers with parameters, under the names that readers see: the same in every artefact,
where the look of each is that of :mod:`nmfbench.artefacts.style`. A *grid* crosses the axes of an
experiment for each profile; ``quick`` is a part of ``paper``, so that its trials carry over, and
``smoke`` takes seconds and no data of others. What comparisons ask too, such as levels of noise, is
in :mod:`nmfbench.problems`:

>>> METHODS = (Method("RobustXRAY", "robust-xray"), Method("SPA", "spa"))
>>> def trials(profile):
...     size = {"n_samples": 40, "n_features": 30, "n_components": 4}
...     base = Trial("recovery", "near-separable", solver="", dataset_params=size)
...     noise = corrupted([("sparse-laplace", level) for level in (0.0, 0.5)])
...     return cross(base, {"smoke": 2, "quick": 5, "paper": 10}[profile], noise, methods(METHODS))

A *table* is made of records, a row a trial with the columns ``method``, ``level``, ``repeat``, the
options of the task and its metrics (``nmfbench.results`` shows them). All statistics live here. The
*picture* sees that table alone, so that a change of its looks runs nothing again:

>>> def table(frame):
...     return mean_table(frame, "anchor-recovery", ["method", "level"], between=(0, 1))
>>> picture = Curves(
...     x="level",
...     labels=[method.label for method in METHODS],
...     xlabel="noise level",
...     ylabel="fraction of anchors recovered",
... )

A reader of the report may make a figure of curves interactive; that one, and the CSV below it, are
read from the picture. A line with a label is a curve; :func:`~nmfbench.artefacts.drawn.remember`
tells the interval and the number of repeats of one that ``axis.plot`` draws.

Of the same table a figure may print *scores* below its picture, and give *strips*: frames of clips
that a reader of the report steps through.

A *claim* is a sentence of the paper in our words, where it stands, and a test of the same records;
what the paper leaves open and we chose is *assumed*:

>>> artefact = Artefact(
...     "robust-xray/example",
...     title="Anchor recovery on small matrices",
...     kind="figure",
...     methods=METHODS,
...     grid=trials,
...     table=table,
...     picture=picture,
...     claims=[
...         Claim(
...             "beats-spa",
...             "RobustXRAY recovers more anchors than SPA.",
...             "Section 5.1",
...             better("RobustXRAY", "SPA", "anchor-recovery"),
...         )
...     ],
...     assumed={"size": "40 samples of 30 features, where the paper has 210 of 200."},
... )

The file ends in ``ARTEFACT = register_artefact(Artefact(...))``. With that,
``nmfbench run robust-xray/example --profile smoke`` and ``nmfbench claims`` know it. In Python:

>>> from tempfile import TemporaryDirectory
>>> from nmfbench.artefacts.evaluate import evaluate
>>> from nmfbench.engine.runner import run
>>> from nmfbench.engine.store import Store
>>> with TemporaryDirectory() as folder, Store(folder) as store:
...     summary = run(artefact.plan("smoke"), store)
...     evaluation = evaluate(artefact, store, profile="smoke")
>>> evaluation.table.columns.tolist()
['method', 'level', 'mean', 'low', 'high', 'count']
>>> for claim, verdict in evaluation.verdicts:
...     print(claim.id, verdict.verdict, verdict.n)
beats-spa inconclusive 2

Where more than one thing varies
--------------------------------
Where table and claims need columns that records lack, such as a condition, an error against a
reference, or a choice among parameters, ``frame`` makes a long frame of the records, once for all:
a column for each thing that varies (see :mod:`nmfbench.artefacts.frames`). Tests then pick rows,
``better("MahNMF", "NMF", "accuracy", at={"condition": "occlusion"})``; a side may be rows too,
``{"method": "GNMF", "weight": 1000}``. More tests are in
:mod:`~nmfbench.artefacts.comparisons` and :mod:`~nmfbench.artefacts.bounds`, and
:mod:`~nmfbench.artefacts.claim` says how to write one. A picture like no other is a function of the
table in the artefact's file. What two figures of a paper share is a module beside them.

Who says what
-------------
Numbers that the paper prints stand in ``reported.toml`` with their source, and nowhere else; a
claim has them in ``reported``, a table in a column, and a figure in grey
(:class:`~nmfbench.artefacts.plots.Printed`). A claim of ours has ``origin="ours"``; a question that
is ours altogether, about a paper, is a file in :mod:`nmfbench.papers.studies` and stands in the
part "Our own questions" of the notebook.

Main claims
-----------
The package of a paper declares its title, its main claim in a sentence, the claims that decide
that sentence, the figure that says most, and questions that readers bring, as ``PAPER``, a
:class:`~nmfbench.papers.paper.Paper`. The landing page of the report computes from the verdicts
whether the main claim holds:

>>> from nmfbench.papers.robust_xray import PAPER
>>> PAPER.decides("fig3/beats-spa"), PAPER.decides("fig3/lp-seldom")
(True, False)

What else it takes
------------------
The notebook of the paper, in ``notebooks/``, gets a cell ``section("robust-xray/example",
**report)``, with a sentence on what is to be seen. ``tests/test_artefacts.py`` runs over all
artefacts, and asks for a *world* of each: made-up metrics that confirm every claim, or refute it.
"""
