"""Agenda of some artefacts by the options of a command, and what it has for readers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nmfbench.artefacts.artefact import Artefact
from nmfbench.artefacts.plan import Plan
from nmfbench.commands.answer import text_table
from nmfbench.core import registry
from nmfbench.core.text import counted
from nmfbench.engine.budget import Costs
from nmfbench.records.pending import Held, missing
from nmfbench.records.store import Store
from nmfbench.trials.trial import Trial
from nmfbench.verdicts.evaluate import behind
from nmfbench.verdicts.known import Known
from nmfbench.verdicts.prospects import outlook_of
from nmfbench.verdicts.scheduler import Account, Agenda, Pending, in_time, looks_of

__all__ = [
    "account_rows",
    "account_text",
    "agenda_of",
    "of_clock",
    "open_rows",
    "open_text",
    "stayed_behind",
    "timed_rivals",
]


def of_clock(trials: Sequence[Trial], timed: str | None) -> list[Trial]:
    """Trials that ``--timed`` keeps: "no" the untimed ones, "only" the timed ones."""
    return [trial for trial in trials if timed is None or trial.timed == (timed == "only")]


def timed_rivals(
    trials: Sequence[Trial],
    store: Store,
    profile: str,
    *,
    stand_in: bool = False,
    **asked,
) -> list[Trial]:
    """Rivals in other artefacts, with a record, on the timed problems of some trials.

    Where one of the trials has to be timed, all that were timed on another machine have to be
    timed again, too.

    Parameters
    ----------
    trials : sequence of Trial
    store : Store
    profile : {"smoke", "quick", "paper"}
    stand_in : bool, default=False
    **asked
        Of :func:`~nmfbench.records.pending.missing`.

    Returns
    -------
    list of Trial
        None, if none of the trials has to be timed.
    """
    timed = [trial for trial in trials if trial.timed]
    if not missing(timed, store, **asked):
        return []
    problems, known = {t.timed_problem for t in timed}, {t.key for t in timed}
    found = {
        trial.key: trial
        for entry in registry.artefacts.entries()
        for of in (("smoke",) if profile == "smoke" else ("quick", "paper"))
        for trial in entry.target.plan(of, stand_in=stand_in)
        if trial.timed and trial.timed_problem in problems and trial.key not in known
    }
    return [found[key] for key in store.status(found)]


def agenda_of(
    artefacts: Sequence[Artefact],
    grids: Mapping[str, Sequence[Trial]],
    store: Store,
    profile: str,
    held: Held,
    known: Known,
    *,
    rivals: Sequence[Trial] = (),
    stand_in: bool = False,
    **asked,
) -> Agenda:
    """Agenda of the planned part of some grids.

    Parameters
    ----------
    artefacts : sequence of Artefact
    grids : mapping
        Identifiers of the artefacts -> trials of the profile.
    store : Store
    profile : {"smoke", "quick", "paper"}
        Of the paper's the plans say where looks are; other grids have looks at the usual numbers of
        repeats.
    held : Held
        Records that the store has of the trials.
    known : Known
        What is known of the store.
    rivals : sequence of Trial, optional
        Of :func:`timed_rivals`.
    stand_in : bool, default=False
    **asked
        Of :func:`~nmfbench.records.pending.missing`.
    """
    by_id = {artefact.id: artefact for artefact in artefacts}
    plans, planned = {}, {}
    for name, artefact in by_id.items():
        plan, trials = artefact.planned, grids[name]
        if profile != "paper" or plan is None:
            repeats = 1 + max((trial.repeat for trial in trials), default=0)
            plan = Plan(repeats, f"All repeats of the {profile} grid.")
        plans[name], planned[name] = plan, plan.trials(trials)
    everything = {t.key: t for trials in (*planned.values(), rivals) for t in trials}
    final = profile == "paper"

    def outlook(name):
        looks = looks_of(plans[name], final=final)
        return outlook_of(
            *(by_id[name], store, known, planned[name], looks), profile=profile, stand_in=stand_in
        )

    first = {name: outlook(name) for name in planned}
    known.keep()
    again = set().union(*(found.behind for found in first.values()))
    pending = Pending(everything.values(), store, again=again, held=held, **asked)
    costs = Costs(held, everything.values())
    if profile == "paper":
        unseen = [a for a in artefacts if not held.provenance(t.key for t in planned[a.id])]
        smaller = [trial for a in unseen for p in ("smoke", "quick") for trial in a.plan(p)]
        costs.learn(store, smaller)

    def prospects(name):
        if name in first:
            return first.pop(name)
        found = outlook(name)
        known.keep()
        return found

    return Agenda(planned, plans, pending, costs, prospects, final=final)


def stayed_behind(
    artefacts: Sequence[Artefact], grids: Mapping[str, Sequence[Trial]], store: Store
) -> set[str]:
    """Keys of imported trials of some grids that are read with arrays that they came without."""
    known, found = Known(store), set()
    for artefact in artefacts:
        trials = grids[artefact.id]
        keys = [trial.key for trial in trials]
        if store.imported(keys):
            found.update(known.of(artefact, "behind", keys, _behind(artefact, store, trials)))
    known.keep()
    return found


def _behind(artefact, store, trials):
    return lambda: sorted(behind(artefact, store, trials))


def open_rows(agenda: Agenda) -> list[dict]:
    """One row for each artefact with open tests, the best next batch first."""
    rows = []
    for name, prospects in agenda.prospects.items():
        if not (open_ := prospects.open):
            continue
        steps = agenda.steps(name)
        looks = [_look_row(agenda, step) for step in dict.fromkeys((*steps[:1], *steps[-1:]))]
        trials = [t for t in agenda.grids[name] if t.key in agenda.pending.lacking]
        row = {
            "id": name,
            "open": len(open_),
            "open_paper": sum(claim.origin == "paper" for claim in open_),
            "tests": len(prospects.claims),
            "repeats": prospects.look.repeats,
            "planned": agenda.plans[name].repeats,
            "timed": any(trial.timed for trial in trials),
            "next": looks[0] if looks else None,
            "end": looks[-1] if looks else None,
        }
        rows.append(row)
    return sorted(rows, key=_rate, reverse=True)


def _look_row(agenda, step):
    trials = agenda.pending.whole(step.keys)
    return {
        "repeats": step.look.repeats,
        "trials": len(trials),
        "hours": round(sum(map(agenda.costs.of, trials.values())) / 3600, 5),
        "guessed": all(map(agenda.costs.is_guess, trials.values())),
        "expected": round(step.expected.verdicts, 2),
        "value": round(step.expected.value, 3),
    }


def _rate(row):
    """Expected value per CPU hour, by the next look or the last one."""
    return max(
        (look["value"] / max(look["hours"], 1e-6) for look in (row["next"], row["end"]) if look),
        default=-1.0,
    )


def open_text(rows: Sequence[Mapping]) -> str:
    """Tables of open tests: of untimed artefacts, and of timed ones."""
    parts = []
    for timed, head in ((False, "Untimed:"), (True, "Timed, for an idle machine:")):
        chosen = [row for row in rows if row["timed"] is timed and row["next"]]
        if chosen:
            expected = sum(row["end"]["expected"] for row in chosen)
            total = (
                f"{expected:.0f} verdicts expected by the end; the time of trials that artefacts "
                "share stands at each of them."
            )
            parts += [head, text_table([_cells(row) for row in chosen], _CELLS), total]
    done = [row for row in rows if not row["next"]]
    if done:
        words = ", ".join(f"{row['id']} ({row['open']})" for row in done)
        parts.append(f"Open with all planned trials: {words}.")
    tests = sum(row["open"] for row in rows)
    return "\n".join([*parts, f"{counted(tests, 'open test')} in {counted(len(rows), 'artefact')}"])


_CELLS: tuple[str, ...] = ("id", "open", "repeats", "next_look", "time", "expected")
_CELLS += ("end", "time_to_end", "expected_by_end")


def _cells(row):
    step, end = row["next"], row["end"]
    return {
        "id": row["id"],
        "open": row["open"],
        "repeats": f"{row['repeats']} of {row['planned']}",
        "next_look": step["repeats"],
        "time": _time_of(step),
        "expected": f"{step['expected']:.1f}",
        "end": end["repeats"],
        "time_to_end": _time_of(end),
        "expected_by_end": f"{end['expected']:.1f}",
    }


def _time_of(look):
    """Of trials of which none like them has run, only the order of magnitude may be right."""
    return in_time(3600 * look["hours"]) + ", a guess" * look["guessed"]


def account_rows(accounts: Mapping[str, Account]) -> list[dict]:
    """One row for each artefact that led a batch: CPU seconds and verdicts."""
    return [
        {
            "id": name,
            "batches": account.batches,
            "predicted": round(account.predicted, 1),
            "spent": round(account.spent, 1),
            "expected": round(account.expected, 2),
            "decided": account.decided,
        }
        for name, account in accounts.items()
    ]


def account_text(rows: Sequence[Mapping]) -> str:
    """Table of predicted and spent CPU time."""
    times = ("predicted", "spent")
    cells = [dict(row) | {name: in_time(row[name]) for name in times} for row in rows]
    return text_table(cells, ("id", "batches", "predicted", "spent", "expected", "decided"))
