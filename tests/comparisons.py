"""Made-up solvers and records of comparisons, for the tests of their statistics and pages."""

from dataclasses import replace

import numpy as np
import pandas as pd

from nmfbench.comparison.criteria import criterion_of
from nmfbench.guests import parse_solver
from nmfbench.guests.examine import Examined


def known(solver, loss="frobenius", *, start=True, anchors=False, **params):
    """A registered solver as an examination finds it, without a process."""
    abilities = {"start": start, "anchors": anchors, "sparse": True, "partial_fit": True}
    abilities |= dict.fromkeys(("represents", "signed", "symmetric", "square"), False)
    spec = parse_solver(solver)
    spec = replace(spec, params=spec.params | params)
    return Examined(spec, [], abilities, None, loss)


def invented(plan, scores):
    """Records of a plan as if its trials had run: scores by method, seconds, traces."""
    rng = np.random.default_rng(0)
    noise = {}
    rows = []
    for cell in plan.cells:
        criterion = criterion_of(cell.problem.task)
        draw = noise.setdefault((cell.problem.label, cell.repeat), 0.01 * rng.random())
        good = scores[cell.entrant.label]
        score = good if criterion.higher_is_better else 100 * (1 - good)  # grey levels, say
        trace = np.array(
            [(0, 0.0, 0.0, 9.0), (1, 1.0 - good, 1.0 - good, 1.0)],
            dtype=[
                ("iteration", "i8"),
                ("seconds", "f8"),
                ("cpu_seconds", "f8"),
                ("objective", "f8"),
            ],
        )
        rows.append(
            {
                "task": cell.problem.task,
                "problem": cell.problem.label,
                "ranked": cell.problem.ranked,
                "loss": cell.problem.loss,
                "dataset": cell.problem.dataset,
                "corruption": cell.problem.corruption,
                "level": cell.problem.level,
                "group": "group",
                "kind": None,
                "method": cell.entrant.label,
                "new": cell.entrant.new,
                "repeat": cell.repeat,
                "key": cell.trial.key,
                "status": "done",
                "error": None,
                "score": np.nan if cell.problem.task == "convergence" else score + draw,
                "seconds": 1.0 - good,
                "cpu_seconds": 1.0 - good,
                "objective": 1.0,
                "timed": cell.problem.timed,
                "code": "",
                "host": {},
                "versions": {},
                "finished": "",
                "arrays": {"trace": trace},
            }
        )
    return pd.DataFrame(rows)
