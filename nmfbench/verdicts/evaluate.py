"""One artefact against its records: table, verdicts, and what they rest on."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Literal, TypedDict

import pandas as pd

from nmfbench.artefacts.artefact import Artefact, label_records
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.finding import Finding
from nmfbench.artefacts.grids import labels_of
from nmfbench.artefacts.sentence import Sentence
from nmfbench.core import registry
from nmfbench.records.errors import ArrayStayedBehindError, StoreError
from nmfbench.records.pending import other_release
from nmfbench.records.results import reason
from nmfbench.records.store import Store
from nmfbench.records.vouchers import standing
from nmfbench.trials.trial import Trial
from nmfbench.verdicts.choice import Grid, choose_grid
from nmfbench.verdicts.reads import Reads, read_arrays
from nmfbench.verdicts.verdict import DECIDED, Look, Verdict, Word, decide

__all__ = [
    "ClaimRow",
    "Evaluation",
    "Found",
    "Judged",
    "behind",
    "claim_rows",
    "evaluate",
    "find",
    "judge",
    "look_of",
    "reads_of",
]

_ONLY_HERE = ("artefact", "table", "records", "verdicts")  # what no JSON holds as it is


@dataclass(frozen=True)
class Evaluation:
    """Verdicts and table of an artefact, and what they rest on.

    Attributes
    ----------
    artefact : Artefact
    profile : str
        Whose grid it was judged on.
    whole, repeats : int
        Repeats of that grid of which every trial has a record, and all.
    look : Look
        Whether verdicts are final.
    table : DataFrame or None
        Table of the picture; None while too few trials have finished for it, and of an evaluation
        read back.
    records : DataFrame or None
        The labelled records behind it, failed ones included; None of an evaluation read back.
    verdicts : list of (Claim, Verdict)
    broken : list of str
        Claims whose test raised, with the error; their verdict is "inconclusive". And what else
        could not be made of a whole grid.
    data : dict of str to str
        For each dataset "own", or what it stands in for.
    done, failed, left_out, total : int
        Numbers of trials of the grid; left out are trials of incomplete repeats, where only
        complete ones are judged.
    failures : dict of str to int
        Errors of the failed trials in a line, with how often.
    code : list of str
        Versions of the code behind the records.
    hosts, versions : list of dict
        Where and with what they were computed.
    finished : (str, str) or None
        When the first and the last was.
    started : str or None
        When the first was begun.
    contents : dict of str to str
        Hash of the file of each dataset that is read from a file.
    notes : list of str
        Further sentences on the records, shown under Provenance.
    foreign : bool
        Whether some records were computed elsewhere, so that their numbers and arrays may be any.
    """

    artefact: Artefact
    profile: str
    whole: int
    repeats: int
    look: Look
    table: pd.DataFrame | None
    records: pd.DataFrame | None
    verdicts: list[tuple[Claim, Verdict]]
    broken: list[str]
    data: dict[str, str]
    done: int
    failed: int
    left_out: int
    total: int
    failures: dict[str, int]
    code: list[str]
    hosts: list[dict]
    versions: list[dict]
    finished: tuple[str, str] | None
    started: str | None
    contents: dict[str, str]
    notes: list[str] = field(default_factory=list)
    foreign: bool = False

    @property
    def missing(self) -> int:
        return self.total - self.done - self.failed - self.left_out

    @property
    def stand_ins(self) -> list[str]:
        """Stand-ins for the paper's data, in words."""
        return sorted(text for text in self.data.values() if text != "own")

    @property
    def title(self) -> str:
        """Title of the artefact, with the stand-ins it was run on."""
        if not self.stand_ins:
            return self.artefact.title
        return f"{self.artefact.title} — on a stand-in: {', '.join(self.stand_ins)}"

    def is_on(self, grid: Grid) -> bool:
        """Whether it judges the trials of a grid, and not others since arrays stayed behind."""
        records = self.records
        return records is not None and list(records["key"]) == [t.key for t in grid.trials]

    @property
    def look_text(self) -> str:
        """Progress of an artefact whose verdicts are interim; empty where they are final."""
        if self.look.final:
            return ""
        if self.profile != "paper":
            n = self.look.repeats
            return f"interim, {n} repeat{'' if n == 1 else 's'} of the {self.profile} grid"
        return f"interim, {self.look.repeats} of {self.look.planned} repeats"

    def draw(self):
        """The figure or the printed table; None, with a note, if too few trials have finished."""
        return self.made("picture", self.artefact.picture)

    def made(self, what: str, make: Callable[[pd.DataFrame], Any]) -> Any:
        """What is made of the table; None, with a note, if missing or wrong trials prevent it.

        Of all trials of a grid, computed here, an error is one of the suite, and raised.
        """
        if self.table is None:
            return None
        try:
            return make(self.table)
        except Exception as error:
            state = (self.artefact, self.done, self.total, self.foreign, self.broken)
            self.notes.append(_explanation(what, error, *state))
            return None

    def to_dict(self) -> dict[str, Any]:
        """Everything but the table and the records, as JSON holds it."""
        known = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in _ONLY_HERE}
        verdicts = [asdict(verdict) for _, verdict in self.verdicts]
        more = {"artefact": self.artefact.id, "verdicts": verdicts, "look": asdict(self.look)}
        return known | more

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Evaluation:
        """An evaluation as :meth:`to_dict` gave it, without its table and records."""
        artefact = registry.artefacts[values["artefact"]].target
        verdicts = [Verdict(**_tuples(verdict)) for verdict in values["verdicts"]]
        read = {
            "artefact": artefact,
            "table": None,
            "records": None,
            "verdicts": list(zip(artefact.claims, verdicts, strict=True)),
            "look": Look(**values["look"]),
            "finished": values["finished"] and tuple(values["finished"]),
        }
        return cls(**{**values, **read})


def _tuples(verdict: Mapping[str, Any]) -> dict[str, Any]:
    """A verdict read back from JSON, which has lists in place of tuples."""
    return {name: tuple(v) if isinstance(v, list) else v for name, v in verdict.items()}


def evaluate(
    artefact: Artefact,
    store: Store,
    *,
    profile: str | None = None,
    stand_in: bool = False,
    reads: Reads | None = None,
    grid: Grid | None = None,
) -> Evaluation:
    """Summarise the records of an artefact and test its claims.

    Parameters
    ----------
    artefact : Artefact
    store : Store
    profile : {"smoke", "quick", "paper"}, optional
        By default the largest grid of whole repeats, see
        :func:`~nmfbench.verdicts.choice.choose_grid`.
    stand_in : bool, default=False
        Where real data are missing, look at the records on their stand-ins.
    reads : Reads, optional
        Collects which arrays are read.
    grid : Grid, optional
        The grid that this rule chooses, where it is known.
    """
    judged = judge(artefact, store, profile=profile, stand_in=stand_in, reads=reads, grid=grid)
    grid, found = judged.grid, judged.found
    plan, records = grid.trials, found.records
    finished = records[records["status"] == "done"]
    failed = records[records["status"] == "failed"]
    data = dict.fromkeys(sorted({trial.dataset for trial in plan}), "own")
    data |= artefact.substitutes(plan)
    own = "own" if set(data.values()) <= {"own"} else "stand-in"
    notes = [*_notes(store, plan), *judged.notes(artefact), *found.notes]
    look = look_of(artefact, grid)
    count, asked = len(finished), artefact.paper_total
    settled = [
        replace(verdict, done=count, total=grid.total, paper_total=asked, data=own)
        for verdict in decide(found.findings, artefact.smallest_difference, look)
    ]
    return Evaluation(
        artefact=artefact,
        profile=grid.profile,
        whole=grid.whole,
        repeats=grid.repeats,
        look=look,
        records=records,
        table=found.table,
        verdicts=list(zip(artefact.claims, settled, strict=True)),
        broken=found.broken,
        data=data,
        done=count,
        failed=len(failed),
        left_out=grid.left_out,
        total=grid.total,
        failures=dict(Counter(reason(error) for error in failed["error"])),
        notes=notes,
        foreign=found.foreign,
        **_provenance(finished),
    )


def _provenance(finished: pd.DataFrame) -> dict[str, Any]:
    """By which code finished trials were computed, where, with what, when, and on which files."""
    times = finished["finished"]
    return {
        "code": sorted(set(finished["code"])),
        "hosts": _distinct(finished["host"]),
        "versions": _distinct(finished["versions"]),
        "finished": (min(times), max(times)) if len(finished) else None,
        "started": _started(finished),
        "contents": _contents(finished),
    }


@dataclass(frozen=True)
class Found:
    """Labelled records of a grid, with the findings of all claims and the table made of them.

    Attributes
    ----------
    records : DataFrame
        Failed ones included; ``attrs["labels"]`` names the columns of labels.
    findings : list of Finding
    table : DataFrame or None
        None, with a note, if it cannot be made of the trials that have finished.
    broken : list of str
        Claims whose test raised, and what else could not be made of whole grids, with the error.
    notes : list of str
    foreign : bool
        Whether some were computed elsewhere.
    """

    records: pd.DataFrame
    findings: list[Finding] = field(default_factory=list)
    table: pd.DataFrame | None = None
    broken: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    foreign: bool = False


@dataclass(frozen=True)
class Judged:
    """The grid that an artefact is judged on, and what was found on it.

    Attributes
    ----------
    grid : Grid
    found : Found
    behind : set of (str, str)
        Key and array of imported records that could not be judged, as the array stayed behind.
    first : Grid
        The grid that would be judged if none had.
    """

    grid: Grid
    found: Found
    behind: set[tuple[str, str]]
    first: Grid

    def notes(self, artefact: Artefact) -> list[str]:
        """A sentence on what could not be judged."""
        if not self.behind:
            return []
        count = len({key for key, _ in self.behind})
        names = ", ".join(sorted({name for _, name in self.behind}))
        one = count == 1
        return [
            f"{count} {'record is' if one else 'records are'} not judged, as "
            f"{'it was' if one else 'they were'} imported without arrays that are read here "
            f"({names}): nmfbench run {artefact.id} --profile {self.first.profile} computes "
            f"{'it' if one else 'them'} again."
        ]


def judge(
    artefact: Artefact,
    store: Store,
    *,
    profile: str | None = None,
    stand_in: bool = False,
    reads: Reads | None = None,
    grid: Grid | None = None,
) -> Judged:
    """Findings and table of an artefact, on the largest grid whose arrays are available.

    A trial with an array that was not imported counts as not computed. Parameters as in
    :func:`evaluate`.
    """
    behind: set[tuple[str, str]] = set()
    grids: list[Grid] = []
    while True:
        without = {key for key, _ in behind}
        if grid is None:
            grid = choose_grid(artefact, store, profile=profile, stand_in=stand_in, without=without)
        grids.append(grid)
        found, now = _try(artefact, store, grid)
        if reads is not None:
            reads.add(now)
        if found is not None:
            return Judged(grid, found, behind, grids[0])
        behind |= now.behind
        grid = None


def reads_of(artefact: Artefact, store: Store, trials: Iterable[Trial]) -> Reads:
    """What an artefact reads of the trials that have a record; the grid need not be complete."""
    trials = list(trials)
    held = store.status(trial.key for trial in trials)
    chosen = [trial for trial in trials if trial.key in held]
    return _try(artefact, store, Grid("paper", chosen, 0, 0, len(chosen) + 1))[1]


def find(artefact: Artefact, store: Store, trials: Sequence[Trial]) -> list[Finding] | None:
    """Findings on some trials; None if arrays stayed behind."""
    found, _ = _try(artefact, store, Grid("paper", list(trials), 0, 0, len(trials)))
    return None if found is None else found.findings


def behind(artefact: Artefact, store: Store, trials: Iterable[Trial]) -> set[str]:
    """Keys of trials to be computed again, as the artefact reads arrays of them that stayed behind.

    A fit among them comes with all trials that start from it, so that they come from one
    computation. The grid need not be complete.
    """
    trials = list(trials)
    if not store.imported(trial.key for trial in trials):
        return set()
    keys = {key for key, _ in reads_of(artefact, store, trials).behind}
    return keys | {t.key for t in trials if t.base is not None and t.base.key in keys}


def _try(artefact: Artefact, store: Store, grid: Grid) -> tuple[Found | None, Reads]:
    """Findings on a grid, None if arrays stayed behind; and the arrays that were read."""
    reads, found = Reads(), None
    try:
        found = _find(artefact, store, grid, reads)
    except StoreError as error:
        if not isinstance(error, ArrayStayedBehindError):
            raise
    except Exception:
        if not reads.behind:  # nor was it by an array of another trial that stood in
            raise
    finally:
        reads.trying = False
    return (None if reads.behind else found), reads


def _find(artefact: Artefact, store: Store, grid: Grid, reads: Reads) -> Found:
    keys = [trial.key for trial in grid.trials]
    labels = labels_of(grid.trials).set_axis(keys)
    records = label_records(store.table(keys).join(labels, on="key"), artefact.methods)
    # Curves and factors, for the summaries and claims that look at them.
    records = records.assign(arrays=read_arrays(records, store, reads))
    records.attrs["labels"] = list(labels)
    finished = records[records["status"] == "done"]
    found = Found(records, foreign=bool(store.imported(records["key"])))
    reads.by_claims = True
    frame, why = finished, ""
    if len(finished):
        frame, why = _made("summary", artefact.frame, finished, artefact, found, grid)
        frame = frame if frame is None else frame.copy()  # in few blocks, of which rows are taken
    for claim in artefact.claims:
        if not len(finished):
            finding = Finding.without("not run", "no trial of this grid has finished")
        elif frame is None:
            finding = Finding.without("inconclusive", why)
        else:
            finding = _tested(artefact, claim, frame, found.broken)
        found.findings.append(finding)
    reads.by_claims = False
    unmade = frame is None or not len(finished)
    table, more = (
        (None, "") if unmade else _made("table", artefact.table, frame, artefact, found, grid)
    )
    return replace(found, table=table, notes=[text for text in (why, more) if text])


def _tested(artefact: Artefact, claim: Claim, frame: pd.DataFrame, broken: list[str]) -> Finding:
    try:
        finding = claim.test(frame)
        if finding.estimates:  # so that a wrong test is noticed here
            finding.place(artefact.smallest_difference)
    except StoreError:
        raise
    except Exception as error:  # one bad test must not hide the others
        broken.append(f"{artefact.id}/{claim.id}: {error!r}")
        return Finding.without("inconclusive", f"the check itself failed: {error!r}")
    return finding


def _made(
    what: str,
    make: Callable[[pd.DataFrame], pd.DataFrame],
    given: pd.DataFrame,
    artefact: Artefact,
    found: Found,
    grid: Grid,
) -> tuple[pd.DataFrame | None, str]:
    """Summary or table, or None and why there is none."""
    try:
        return make(given), ""
    except StoreError:
        raise
    except Exception as error:
        done = int((found.records["status"] == "done").sum())
        return None, _explanation(
            what, error, artefact, done, grid.total, found.foreign, found.broken
        )


def _explanation(
    what: str,
    error: Exception,
    artefact: Artefact,
    done: int,
    total: int,
    foreign: bool,
    broken: list[str],
) -> str:
    """Why there is no table, or no picture; raises the error if it is one of the suite."""
    if done == total:
        if not foreign:
            raise error
        broken.append(f"{artefact.id}, {what}: {error!r}")
    return f"No {what} can be made of {done} of {total} trials: {error!r}."


def look_of(artefact: Artefact, grid: Grid) -> Look:
    """Final where all planned repeats of the paper's grid, or of its planned part, are complete."""
    planned = grid.repeats if artefact.planned is None else artefact.planned.repeats
    final = grid.profile == "paper" and grid.whole >= planned
    return Look(grid.whole, planned, final)


def _notes(store: Store, plan: Sequence[Trial]) -> list[str]:
    """By which code the records were computed, and under which releases of wrapped peers."""
    held = store.provenance(trial.key for trial in plan)
    counts = standing(store, plan, held)
    standings = {
        "current": "computed by today's code",
        "audited": "by earlier code or elsewhere, and audited under today's",
        "different": "by earlier code, of groups whose audit under today's came out different",
        "unaudited": "by earlier code, not audited under today's",
        "elsewhere": "elsewhere, not audited under today's code",
    }
    words = [f"{counts[name]} {text}" for name, text in standings.items() if counts[name]]
    found = (other_release(t, held[t.key]) for t in plan if t.key in held)
    releases = Counter(release for release in found if release)
    return ([f"Records: {'; '.join(words)}."] if words else []) + [
        f"{n} records are of {release}, which is not the installed release."
        for release, n in sorted(releases.items())
    ]


def _distinct(dicts: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [dict(items) for items in sorted({tuple(d.items()) for d in dicts})]


def _started(finished: pd.DataFrame) -> str | None:
    """The earliest time at which one of the finished trials was begun."""
    elapsed = finished["elapsed"].fillna(finished["seconds"]).fillna(0).astype(float)
    begun = pd.to_datetime(finished["finished"]) - pd.to_timedelta(elapsed, unit="s")
    return begun.min().floor("s").isoformat() if len(begun) else None


def _contents(finished: pd.DataFrame) -> dict[str, str]:
    pairs = zip(finished["dataset"], finished["declared"], strict=True)
    return {name: known["content"] for name, known in pairs if known.get("content")}


class ClaimRow(TypedDict):
    """A claim with its verdict, as JSON has it."""

    id: str
    artefact: str
    statement: str
    source: str
    origin: Literal["paper", "ours"]
    sentence: list[str]
    reported: Any
    threshold: dict[str, Any] | None
    delta: dict[str, Any] | None
    verdict: Word
    evidence: str
    effect: float | None
    interval: list[float | None] | None
    level: float | None
    p_value: float | None
    p_adjusted: float | None
    n: int
    unit: str
    look: Literal["final", "interim"]
    planned: int
    open: Literal["not run", "settings", "repeats", "precision"] | None
    hangs_on: str
    data: str
    stand_ins: list[str]
    profile: str
    whole_repeats: int
    repeats: int
    done: int
    total: int
    paper_total: int


def claim_rows(evaluation: Evaluation, sentences: Iterable[Sentence] = ()) -> list[ClaimRow]:
    """A row a claim, as ``nmfbench claims --json`` prints it.

    Parameters
    ----------
    evaluation : Evaluation
    sentences : iterable of Sentence, optional
        Sentences of the paper; a row names the sentences that its claim tests.
    """
    tested: dict[str, list[str]] = {}
    for sentence in sentences:
        for test in sentence.tests:
            tested.setdefault(test, []).append(sentence.key)
    return [
        {
            "id": f"{evaluation.artefact.id}/{claim.id}",
            "artefact": evaluation.artefact.id,
            "statement": claim.statement,
            "source": claim.source,
            "origin": claim.origin,
            "sentence": tested.get(f"{evaluation.artefact.name}/{claim.id}", []),
            "reported": claim.reported,
            "threshold": _threshold(verdict),
            "delta": _delta(verdict),
            "verdict": verdict.verdict,
            "evidence": verdict.evidence,
            "effect": _finite(verdict.effect),
            "interval": _finite_ends(verdict.interval),
            "level": verdict.level,
            "p_value": _finite(verdict.p_value),
            "p_adjusted": _finite(verdict.p_adjusted),
            "n": verdict.n,
            "unit": verdict.unit,
            "look": "final" if evaluation.look.final else "interim",
            "planned": evaluation.look.planned,
            "open": _why_open(verdict, evaluation.look),
            "hangs_on": verdict.hangs_on,
            "data": verdict.data,
            "stand_ins": evaluation.stand_ins,
            "profile": evaluation.profile,
            "whole_repeats": evaluation.whole,
            "repeats": evaluation.repeats,
            "done": evaluation.done,
            "total": evaluation.total,
            "paper_total": evaluation.artefact.paper_total,
        }
        for claim, verdict in evaluation.verdicts
    ]


def _why_open(verdict: Verdict, look: Look):
    """Why a test is not decided; None of one that is."""
    if verdict.verdict in DECIDED:
        return None
    if verdict.verdict == "not run":
        return "not run"
    if verdict.hangs_on:
        return "settings"
    return "precision" if look.final else "repeats"


def _threshold(verdict: Verdict) -> dict[str, Any] | None:
    """The number that decides a claim; if we chose it, also half and double of it."""
    if verdict.threshold is None:
        return None
    found = {"value": verdict.threshold, "whose": verdict.whose}
    return found | _neighbours(verdict, verdict.whose == "ours")


def _delta(verdict: Verdict) -> dict[str, Any] | None:
    """The smallest difference that matters; of leads with the verdicts at its half and twice."""
    if verdict.delta is None:
        return None
    found = {"value": verdict.delta, "of": "ratio" if verdict.ratio else "difference"}
    return found | _neighbours(verdict, verdict.threshold is None)


def _neighbours(verdict: Verdict, shown: bool) -> dict[str, Any]:
    half, twice = verdict.neighbours or (None, None) if shown else (None, None)
    others = (verdict.sensitivity if shown else None) or {}
    at = {"at_half": others.get("half"), "at_twice": others.get("twice")}
    return {"half": half, "twice": twice, **at}


def _finite_ends(interval: tuple[float, float] | None) -> list[float | None] | None:
    return None if interval is None else [_finite(end) for end in interval]


def _finite(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)
