"""How fast it should be, and whether it is."""

from dataclasses import dataclass

from benchmarks.data import FIG3
from benchmarks.text import training_half

__all__ = ["Verdict", "judge"]


@dataclass(frozen=True)
class Verdict:
    """A target beside what was measured."""

    target: str
    measured: str
    met: bool


def judge(results):
    """Verdicts on the targets that were measured.

    Parameters
    ----------
    results : list of Result
    """
    verdicts = []
    for result in results:
        contest = result.contest
        case = " ".join(map(str, contest.case))
        if contest.name == "peers.SuccessiveProjections.time_anchors" and "spa" in result.samples:
            _, ratio, _ = result.ratio("spa")
            verdicts.append(
                Verdict(
                    f"spa, {case}: at most 2 x its products of X with a vector",
                    f"{ratio:.2f} x",
                    ratio <= 2,
                )
            )
        if contest.name == "solvers.Fit.time_fit" and contest.case == (FIG3,):
            for key in result.samples.keys() & {"robust-xray"}:
                seconds = result.median(key)
                verdicts.append(
                    Verdict(
                        f"{key}, {case}: about 0.5 s of CPU time (at most 0.6)",
                        f"{seconds:.2f} s",
                        seconds <= 0.6,
                    )
                )
        if contest.name == "text.Exemplars.peakmem_fit":
            n, m = training_half(*contest.case).shape
            for key in result.samples:
                size = result.median(key)
                verdicts.append(
                    Verdict(
                        f"{key}, {case}: less memory than a dense {n} x {m} array "
                        f"({8e-6 * n * m:.0f} MB)",
                        f"{1e-6 * size:.0f} MB",
                        size < 8 * n * m,
                    )
                )
    return verdicts
