"""Made-up records for clips: partial areas and seconds for which claims hold or do not."""

import numpy as np

from nmfbench.papers.robust_xray.studies import separation

FRAMES = 20


def counts(area, rng):
    """Counts of scored frames whose curve rises to ``area`` at once, and stays up to 0.2."""
    hits = np.rint(1000 * (area + 0.005 * rng.standard_normal(FRAMES)))
    whole = np.full(FRAMES, 1000)
    return {
        "alarms": np.stack([0 * whole, 250 * whole // 1000, whole], axis=1),
        "hits": np.stack([hits, hits, whole], axis=1).astype(int),
    }


def _separation(holds):
    """No method is ahead without the light switch, the robust ones are with it; or the reverse."""
    robust = {method.solver for method in separation._ROBUST} | {"rpca-ialm"}

    def metrics(row, rng):
        lit = row.get("light_switch") is True
        area = 0.7
        if row["solver"] != "median":
            area = 0.9 if lit == holds and row["solver"] in robust else 0.6 if holds or lit else 0.8
        if not holds and row["solver"] == "robust-lowrank-admm":
            area -= 0.1 if lit else 0.0
            area += 0.0 if lit else 0.15
        return {
            "pauc@0.2": area,
            "f-rule": area,
            "f-rule-mean": 0.5,
            "cpu_seconds": rng.uniform(),
            "objective": 1.0,
            "arrays": counts(area, rng),
        }

    return metrics


OUTCOMES = {"robust-xray/separation": _separation}
