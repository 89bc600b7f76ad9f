"""One artefact against its records: table, verdicts, and what they rest on."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import pandas as pd

from nmfbench.artefacts import Artefact, label_records
from nmfbench.claims import Claim, Verdict, judge
from nmfbench.engine.results import reason
from nmfbench.engine.store import Store, StoredArrays

__all__ = ["Evaluation", "evaluate"]


@dataclass(frozen=True)
class Evaluation:
    """What the records of one profile say of an artefact.

    Attributes
    ----------
    artefact : Artefact
    profile : str
    table : DataFrame or None
        What ``draw`` takes; None while no trial has finished.
    verdicts : list of (Claim, Verdict)
    broken : list of str
        Claims whose test raised, with the error; their verdict is "inconclusive".
    data : dict of str to str
        For each dataset "own", or what it stands in for.
    done, failed, total : int
        Trials of the grid.
    failures : dict of str to int
        Errors of the failed trials in a line, with how often.
    code : list of str
        Versions of the code behind the records.
    hosts, versions : list of dict
        Where and with what they were computed.
    """

    artefact: Artefact
    profile: str
    table: pd.DataFrame | None
    verdicts: list[tuple[Claim, Verdict]]
    broken: list[str]
    data: dict[str, str]
    done: int
    failed: int
    total: int
    failures: dict[str, int]
    code: list[str]
    hosts: list[dict]
    versions: list[dict]
    finished: tuple[str, str] | None

    @property
    def missing(self) -> int:
        return self.total - self.done - self.failed

    @property
    def stand_ins(self) -> list[str]:
        """What stands in for the paper's data, in words."""
        return sorted(text for text in self.data.values() if text != "own")

    @property
    def title(self) -> str:
        """Title of the artefact, with the stand-ins it was run on."""
        if not self.stand_ins:
            return self.artefact.title
        return f"{self.artefact.title} — on a stand-in: {', '.join(self.stand_ins)}"

    def draw(self):
        """The figure or the printed table; None while no trial has finished."""
        return None if self.table is None else self.artefact.draw(self.table)


def evaluate(
    artefact: Artefact, store: Store, *, profile: str = "quick", stand_in: bool = False
) -> Evaluation:
    """Summarise the records of an artefact and test its claims.

    Parameters
    ----------
    artefact : Artefact
    store : Store
    profile : {"smoke", "quick", "paper"}
    stand_in : bool, default=False
        Where real data are missing, look at the records on their stand-ins.
    """
    plan = list(dict.fromkeys(artefact.plan(profile, stand_in=stand_in)))
    records = label_records(store.table(trial.key for trial in plan), artefact.methods)
    # Curves and factors, for the summaries and claims that look at them.
    records = records.assign(arrays=[StoredArrays(store, key) for key in records["key"]])
    finished = records[records["status"] == "done"]
    failed = records[records["status"] == "failed"]
    data = dict.fromkeys(sorted({trial.dataset for trial in plan}), "own")
    data |= artefact.substitutes(plan)
    own = "own" if set(data.values()) <= {"own"} else "stand-in"
    verdicts, broken = [], []
    for claim in artefact.claims:
        try:
            verdict = judge(
                claim,
                finished,
                done=len(finished),
                total=len(plan),
                paper_total=artefact.paper_total,
                data=own,
            )
        except Exception as error:  # one bad test must not hide the others
            broken.append(f"{artefact.id}/{claim.id}: {error!r}")
            verdict = Verdict("inconclusive", f"the check itself failed: {error!r}", data=own)
        verdicts.append((claim, verdict))
    return Evaluation(
        artefact=artefact,
        profile=profile,
        table=artefact.summarise(finished) if len(finished) else None,
        verdicts=verdicts,
        broken=broken,
        data=data,
        done=len(finished),
        failed=len(failed),
        total=len(plan),
        failures=dict(Counter(reason(error) for error in failed["error"])),
        code=sorted(set(finished["code"])),
        hosts=_distinct(finished["host"]),
        versions=_distinct(finished["versions"]),
        finished=(min(finished["finished"]), max(finished["finished"])) if len(finished) else None,
    )


def _distinct(dicts):
    return [dict(items) for items in sorted({tuple(d.items()) for d in dicts})]
