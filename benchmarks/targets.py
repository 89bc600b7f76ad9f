"""How fast it should be, and whether it is."""

from dataclasses import dataclass

import numpy as np

from benchmarks.data import FIG3
from benchmarks.manhattan import shape_of
from benchmarks.online import ONE_SWEEP
from benchmarks.smoothing import Gradient
from benchmarks.text import training_half

__all__ = ["Verdict", "judge"]


@dataclass(frozen=True)
class Verdict:
    """A target beside what was measured."""

    target: str
    measured: str
    met: bool


def judge(results):
    """Verdicts on the targets that the given results can decide, in their order.

    Targets for all problems of a benchmark together come last.
    """
    results = list(results)
    verdicts = [
        verdict
        for result in results
        if result.contest.name in _JUDGES
        for verdict in _JUDGES[result.contest.name](result, *result.contest.case)
    ]
    return verdicts + [verdict for mean in _MEANS for verdict in _over_problems(results, *mean)]


def _over_problems(results, name, member, peer, factor, most):
    """The geometric mean over problems of the ratio of two members' medians, beside its target.

    A problem where one of them does not reach the factor is not in the mean, but counted.
    """
    there = [r for r in results if r.contest.name == name and r.contest.case[-1] == factor]
    ratios = [
        result.median(member) / result.median(peer)
        for result in there
        if {member, peer} <= set(result.samples)
    ]
    if ratios:
        mean = np.exp(np.mean(np.log(ratios)))
        target = (
            f"{member}: to {factor:g} of the best in at most {most:g} of {peer}'s time, as the "
            f"geometric mean of {len(ratios)} of {len(there)} problems"
        )
        yield Verdict(target, f"{mean:.2f} x", bool(mean <= most))


_MEANS = (
    ("peers.ToObjective.time_to_objective", "hals-her", "sklearn-cd", 1.01, 0.35),
    ("peers.ToObjective.time_to_objective", "hals-her", "hals", 1.01, 1.05),
    ("peers.ToObjective.time_to_objective", "hals-her", "hals", 1.001, 1.0),
    ("peers.KullbackLeiblerToObjective.time_to_objective", "kl-newton", "kl-mu", 1.01, 0.4),
)
"""(benchmark, solver, peer, factor of the best objective, largest mean ratio)."""


def _ratio(result, member):
    """Median ratio to the reference, or None if either was not measured."""
    quartiles = result.ratio(member) if member in result.samples else None
    return None if quartiles is None else quartiles[1]


def _fit(result, case):
    if case == FIG3 and "robust-xray" in result.samples:
        seconds = result.median("robust-xray")
        target = f"robust-xray, {case}: about half a second of CPU time (at most 0.6 s)"
        yield Verdict(target, f"{seconds:.2f} s", seconds <= 0.6)


def _projection(result, loss, dtype):
    ratio = _ratio(result, "warm")
    if dtype == "float64" and ratio is not None:
        target = f"{loss} projection: one more anchor takes less than starting anew"
        yield Verdict(target, f"{ratio:.2f} x", ratio < 1)


def _to_objective(result, problem, factor):
    if factor != 1.01:
        return
    ratio, most = _ratio(result, "hals"), 0.5 if "2000x1000" in problem else 1.0
    if ratio is not None:
        target = f"hals, {problem}: to 1.01 of the best in at most {most:g} of sklearn-cd's time"
        yield Verdict(target, f"{ratio:.2f} x", ratio <= most)
    if {"hals", "nenmf"} <= set(result.samples):
        ratio = result.median("nenmf") / result.median("hals")
        target = f"nenmf, {problem}: to 1.01 of the best in at most twice the time of hals"
        yield Verdict(target, f"{ratio:.2f} x", ratio <= 2)


def _sparse_sweep(result, start):
    ratio = _ratio(result, "sparse")
    if ratio is not None:
        target = f"mahnmf-rri, text, {start}: an iteration on sparse data in a 30th of dense"
        yield Verdict(target, f"1/{1 / ratio:.0f} x", ratio <= 1 / 30)


def _kullback_leibler(result, data, dtype):
    ratio, most = _ratio(result, "kl-mu"), 0.25 if "sparse" in data else 0.5
    if ratio is not None and (most == 0.25 or dtype == "float32"):
        target = f"kl-mu, {data}, {dtype}: an iteration in at most {most:g} of sklearn-mu's time"
        yield Verdict(target, f"{ratio:.2f} x", ratio <= most)


def _kullback_leibler_to_objective(result, collection, factor):
    ratio = _ratio(result, "kl-newton")
    if ratio is not None and factor == 1.01:
        target = f"kl-newton, {collection}: to 1.01 of the best in at most 0.4 of kl-mu's time"
        yield Verdict(target, f"{ratio:.2f} x", ratio <= 0.4)


def _successive_projections(result, case):
    ratio = _ratio(result, "spa")
    if ratio is not None:
        target = f"spa, {case}: at most twice its products of X with a vector"
        yield Verdict(target, f"{ratio:.2f} x", ratio <= 2)


def _memory(result, collection):
    if not result.samples:
        return
    n, m = training_half(collection).shape
    for key in result.samples:
        size = result.median(key)
        dense = f"a dense {n} x {m} array ({8e-6 * n * m:.0f} MB)"
        target = f"{key}, {collection}: less memory than {dense}"
        yield Verdict(target, f"{1e-6 * size:.0f} MB", size < 8 * n * m)


def _gradient(result, varies):
    if "float64" not in result.samples:
        return
    speed = 1e-6 * np.prod(Gradient.shape) / result.median("float64")
    target = f"smoothed gradient over {varies}: at least 3000 million m n r a second"
    yield Verdict(target, f"{speed:.0f} M/s", speed >= 3000)
    ratio = _ratio(result, "float32")
    if ratio is not None:
        target = f"smoothed gradient over {varies}: float32 at least 1.7 times as fast as float64"
        yield Verdict(target, f"{1 / ratio:.2f} x", ratio <= 1 / 1.7)


def _crossover(result, problem, factor):
    if "mahnmf-hybrid" not in result.samples:
        return
    ratios = [_ratio(result, name) for name in result.samples if name != "mahnmf-hybrid"]
    if ratios:
        target = f"mahnmf-hybrid, {problem}: first within {factor:g} of the best l1 objective"
        yield Verdict(target, f"{min(ratios):.2f} x", min(ratios) >= 1)
    else:
        target = f"mahnmf-hybrid, {problem}: within {factor:g} of the best l1 objective"
        yield Verdict(target, "alone", True)


def _median(result, case, state, dtype):
    if "select" not in result.samples:
        return
    what = f"weighted medians, {case}, {state} iteration, {dtype}"
    if dtype == "float64":
        speed = 2e-6 * np.prod(shape_of(case)) / result.median("select")
        yield Verdict(
            f"{what}: at least 100 million entries a second", f"{speed:.0f} M/s", speed >= 100
        )
    ratio = _ratio(result, "select")
    if ratio is not None:
        target = f"{what}: selecting at least 5 times as fast as sorting"
        yield Verdict(target, f"{1 / ratio:.1f} x", ratio <= 1 / 5)


def _threads(result, case):
    if {"1", "2"} <= set(result.samples):
        gain = result.median("1", column=1) / result.median("2", column=1)
        target = f"weighted medians, {case}: two threads at least 1.7 times as fast as one"
        yield Verdict(target, f"{gain:.2f} x", gain >= 1.7)


def _codes(result, rank, images):
    for loss, most in (("manhattan", 5), ("kl", 5), ("frobenius", 1)):
        if rank == 50 and loss in result.samples:
            seconds = result.median(loss)
            target = f"{loss} codes of Yale B's 2148 test images, {images}, r = 50: <= {most} s"
            yield Verdict(target, f"{seconds:.2f} s", seconds <= most)


def _codes_of_a_peer(result, rank):
    ratio = _ratio(result, "nmfbench")
    if ratio is not None:
        target = f"{result.contest.name}, r = {rank}: at most a fifth of the peer's time"
        yield Verdict(target, f"1/{1 / ratio:.0f} x", ratio <= 1 / 5)


def _sweep(result, data, dtype):
    ratio = _ratio(result, "rnmfd")
    if ratio is not None:
        target = f"rnmfd, {data}, {dtype}: a sweep in at most 1.5 of its three products"
        yield Verdict(target, f"{ratio:.2f} x", ratio <= 1.5)


def _multiplicative(result, data, dtype):
    for key in ("mu", "gnmf"):
        ratio = _ratio(result, key)
        if ratio is not None:
            target = f"{key}, {data}, {dtype}: an iteration in at most scikit-learn's time"
            yield Verdict(target, f"{ratio:.2f} x", ratio <= 1)


def _samples(result, data):
    ratio = _ratio(result, ONE_SWEEP)
    if ratio is not None:
        target = f"omf with one sweep, {data}: a sample in at most half of scikit-learn's time"
        yield Verdict(target, f"{ratio:.2f} x", ratio <= 0.5)


def _equal_cost(result, data, peer):
    ratio = _ratio(result, ONE_SWEEP)
    if ratio is not None:
        target = f"omf with one sweep, {data}: cost of MiniBatchNMF ({peer}) in at most 0.7 of it"
        yield Verdict(target, f"{ratio:.3f} x", ratio <= 0.7)


def _inner_step(result, data):
    ratio = _ratio(result, "steps")
    if ratio is not None:
        target = f"or-nmf, {data}: an inner step in at most three times its two passes over W"
        yield Verdict(target, f"{ratio:.2f} x", ratio <= 3)


def _tenths(result):
    if len(result.samples) < 10:
        return
    tenths = sorted(result.samples)
    seconds = [result.median(tenth) for tenth in tenths]
    exponent = np.polyfit(np.log(np.array(tenths) - 0.5), np.log(seconds), 1)[0]
    target = "mor-nmf: time of a step against t has an exponent below 0.05"
    yield Verdict(target, f"{exponent:.3f}", exponent < 0.05)


_JUDGES = {
    "codes.Codes.time_codes": _codes,
    "codes.LeastSquares.time_codes": _codes_of_a_peer,
    "codes.LeastDeviations.time_codes": _codes_of_a_peer,
    "graph.MultiplicativeUpdates.time_ten_iterations": _multiplicative,
    "graph.Sweep.time_ten_iterations": _sweep,
    "solvers.Fit.time_fit": _fit,
    "kernels.Projection.time_project": _projection,
    "manhattan.Median.time_iteration": _median,
    "manhattan.Threads.time_iteration": _threads,
    "manhattan.SparseSweep.time_iteration": _sparse_sweep,
    "online.EqualCost.time_to_cost": _equal_cost,
    "online.InnerStep.time_steps": _inner_step,
    "online.Samples.time_pass": _samples,
    "online.Tenths.time_tenth": _tenths,
    "peers.ToObjective.time_to_objective": _to_objective,
    "peers.KullbackLeibler.time_ten_iterations": _kullback_leibler,
    "peers.KullbackLeiblerToObjective.time_to_objective": _kullback_leibler_to_objective,
    "peers.SuccessiveProjections.time_anchors": _successive_projections,
    "smoothing.Crossover.time_to_objective": _crossover,
    "smoothing.Gradient.time_gradient": _gradient,
    "text.Exemplars.peakmem_fit": _memory,
}
