r"""Tables and figures: a folder for each paper, a file for each artefact.

Every module below is imported on first use, so that a new artefact is one new file.

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
>>> from nmfbench.artefacts.plan import Plan
>>> from nmfbench.artefacts.plots import Curves
>>> from nmfbench.trials.trial import Trial

*Methods* are solvers with parameters, under the names that readers see: the same in every artefact,
where the look of each is that of :mod:`nmfbench.artefacts.style`. A *grid* crosses the axes of an
experiment for each profile; ``quick`` is a part of ``paper``, so that its trials carry over, and
``smoke`` takes seconds and no data of others. What comparisons ask too, such as levels of noise, is
in :mod:`nmfbench.problems`:

>>> METHODS = (Method("RobustXRAY", "robust-xray"), Method("SPA", "spa"))
>>> def trials(profile):
...     size = {"n_samples": 48, "n_features": 36, "n_components": 4}
...     base = Trial("recovery", "near-separable", solver="", dataset_params=size)
...     noise = corrupted([("sparse-laplace", level) for level in (0.0, 0.5)])
...     return cross(base, {"smoke": 2, "quick": 5, "paper": 10}[profile], noise, methods(METHODS))

A *table* is made of records, one row per trial with the columns ``method``, ``level``, ``repeat``,
the options of the task and its metrics (``nmfbench.results`` shows them). All statistics live here.
The *picture* sees that table alone, so that a change of its looks runs nothing again:

>>> def table(frame):
...     return mean_table(frame, "anchor-recovery", ["method", "level"], between=(0, 1))
>>> picture = Curves(
...     x="level",
...     labels=[method.label for method in METHODS],
...     xlabel="noise level",
...     ylabel="fraction of anchors recovered",
... )

A reader of the report may make a figure of curves interactive; that one, and the CSV below it, are
read from the picture. A line with a label is a curve; :func:`~nmfbench.artefacts.drawn.attach_data`
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
...     planned=Plan(10, "Enough to decide a lead of one anchor; a repeat takes a second."),
...     assumed={"size": "48 samples of 36 features, where the paper has 210 of 200."},
... )

The file ends in ``ARTEFACT = register_artefact(Artefact(...))``, of
:mod:`nmfbench.artefacts.artefact`, too. With that,
``nmfbench run robust-xray/example --profile smoke`` and ``nmfbench claims`` know it. In Python:

>>> from tempfile import TemporaryDirectory
>>> from nmfbench.verdicts.evaluate import evaluate
>>> from nmfbench.engine.runner import run
>>> from nmfbench.records.store import Store
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
What readers call a place of an axis, such as a condition, a clip or a panel, is its *label*: the
grid says it once, ``labelled("condition", ["no noise", "occlusion"], noise)``, and the frame has it
as a column (see :mod:`nmfbench.artefacts.grids`). Where table and claims need other columns that
records lack, such as an error against a reference, or a choice among parameters (see
:mod:`nmfbench.artefacts.protocols`), ``frame`` makes a long frame of the records, once for all: a
column for each thing that varies (see :mod:`nmfbench.artefacts.frames`). Of new columns that
claims compare, ``matters={"error": Ratio(0.02)}`` says which difference a reader would notice, as
tasks do of their metrics (see :mod:`nmfbench.core.matters`). How many repeats the paper grid has,
and why, says ``planned=Plan(20, "A repeat takes 50 s.")``, fixed before any of them is computed
(see :mod:`nmfbench.artefacts.plan`). Tests then pick rows,
``better("MahNMF", "NMF", "accuracy", at={"condition": "occlusion"})``; a side may be rows too,
``{"method": "GNMF", "weight": 1000}``. More tests are in
:mod:`~nmfbench.artefacts.comparisons` and :mod:`~nmfbench.artefacts.bounds`. A picture like no
other is a function of the table in the artefact's file. What two figures of a paper share is a
module beside them.

A test like no other
--------------------
A test is a function from the frame to a :class:`~nmfbench.artefacts.finding.Finding`: estimates,
the region in which the claim places them, and a sentence of evidence. An
:class:`~nmfbench.artefacts.estimate.Estimate` is a mean with its error, over repeats or other units
that are independent; the region is a :class:`~nmfbench.artefacts.region.Lead`, a
:class:`~nmfbench.artefacts.region.Margin` or :class:`~nmfbench.artefacts.region.Bounds`. Several
estimates are of a claim that says "every" or "some":

>>> from nmfbench.artefacts.comparisons import estimate, paired, per_repeat
>>> from nmfbench.artefacts.finding import Finding
>>> from nmfbench.artefacts.region import Lead
>>> def leads_everywhere(frame):
...     leads = []
...     for level, rows in frame.groupby("level"):
...         sides = {s: per_repeat(rows, s, "anchor-recovery") for s in ("RobustXRAY", "SPA")}
...         table = paired(sides)
...         lead = table["RobustXRAY"] - table["SPA"]
...         leads.append(estimate(lead, "anchor-recovery", f"noise {level:g}"))
...     return Finding("lead of RobustXRAY over SPA, at {name}: {}", leads, Lead(), rule="every")

The verdict is made of all findings of an artefact together (:mod:`nmfbench.verdicts.verdict`):
confirmed, no lead, refuted or inconclusive. The smallest difference that matters is that of the
metric, and says when there is no lead. Here too few repeats have been run:

>>> from nmfbench.verdicts.verdict import decide
>>> finding = leads_everywhere(evaluation.records)
>>> (verdict,) = decide([finding], artefact.smallest_difference)
>>> len(finding.estimates), verdict.verdict, verdict.evidence.rpartition("; ")[2]
(2, 'inconclusive', '2 repeats are too few for a verdict')

Who says what
-------------
Numbers that the paper prints stand in ``reported.toml`` with their source, and nowhere else; a
claim has them in ``reported``, a table in a column, and a figure in grey
(:class:`~nmfbench.artefacts.plots.Printed`). An artefact lists the results among them in
``printed``, each with where ours stand in its frame, so that they are compared
(:mod:`nmfbench.artefacts.printed`). Our own claim has ``origin="ours"``; a question that
is ours altogether, about a paper, is a file in the folder ``studies`` of the paper's package and
stands in the part "Our own questions" of the notebook.

Main claims
-----------
The package of a paper declares its title, its main claim in a sentence, the figure that says most,
questions that readers bring, and headlines, as ``PAPER``, a :class:`~nmfbench.papers.paper.Paper`.
A headline has a sentence for each outcome of one claim; the landing page and the README fill in
outcome, number and interval:

>>> from nmfbench.papers.robust_xray import PAPER
>>> PAPER.headlines[-1].claim
'fig3/beats-hottopixx'

What else it takes
------------------
To be run and reported, nothing: the report adds a cell to the notebook of the paper, before our own
questions or, if all claims are ours, at the end of these. For another place, or a sentence on what
is to be seen, give the notebook a cell ``section("robust-xray/example", **report)``.

To be kept, a test: ``tests/artefacts/test_artefacts.py`` runs over all artefacts (``-k NAME`` picks
one; the data that tests share take minutes), and has to see each claim come out both ways, of
made-up results that a file of ``tests/outcomes/`` registers.
"""
