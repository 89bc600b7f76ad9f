"""Run benchmarks against each other: interleaved, in one process, with paired ratios."""

import gc
import itertools
import multiprocessing
import re
import resource
import sys
import time
import traceback
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field

import numpy as np

from benchmarks import codes, graph, kernels, manhattan, online, peers, smoothing, solvers, text

__all__ = ["Contest", "Result", "benchmark_named", "cached", "cases_matching", "contests", "run"]

MODULES = (solvers, kernels, manhattan, graph, peers, smoothing, codes, text, online)


@dataclass(frozen=True)
class Contest:
    """One measured method of a benchmark, and fixed values of all parameters but the compared."""

    benchmark: type
    method: str
    case: tuple

    @property
    def name(self):
        module = self.benchmark.__module__.rpartition(".")[2]
        return f"{module}.{self.benchmark.__name__}.{self.method}"

    @property
    def title(self):
        return " ".join([self.name, *map(str, self.case)])

    @property
    def measures_memory(self):
        return self.method.startswith("peakmem_")

    @property
    def _place(self):
        return self.benchmark.param_names.index(self.benchmark.compared)

    def members(self):
        """The values that compete."""
        return self.benchmark.params[self._place]

    def params(self, member):
        """The whole parameter tuple of a member."""
        return (*self.case[: self._place], member, *self.case[self._place :])


@dataclass
class Result:
    """Measurements of a contest.

    Attributes
    ----------
    samples : dict
        Member -> array with a row for each round: CPU and wall seconds, or bytes.
    skipped, failed : dict
        Member -> why.
    """

    contest: Contest
    samples: dict = field(default_factory=dict)
    skipped: dict = field(default_factory=dict)
    failed: dict = field(default_factory=dict)

    def median(self, member, column=0):
        return float(np.median(self.samples[member][:, column]))

    def ratio(self, member):
        """Quartiles of the ratio to the reference, round by round; None without a reference."""
        reference = self.samples.get(self.contest.benchmark.reference)
        if reference is None:
            return None
        samples = self.samples[member]
        shared = min(len(samples), len(reference))  # a slow member has fewer rounds
        ratios = samples[:shared, 0] / reference[:shared, 0]
        return tuple(float(q) for q in np.quantile(ratios, [0.25, 0.5, 0.75]))


def contests(pattern=""):
    """All contests whose title matches a regular expression, in order."""
    found = []
    for module in MODULES:
        for value in vars(module).values():
            if not isinstance(value, type) or value.__module__ != module.__name__:
                continue
            values = [
                choices
                for name, choices in zip(value.param_names, value.params, strict=True)
                if name != value.compared
            ]
            for method in vars(value):
                timed = method.startswith("time_")
                if timed or (method.startswith("peakmem_") and value.memory_in_table):
                    cases = itertools.product(*values)
                    found += [Contest(value, method, case) for case in cases]
    return [contest for contest in found if re.search(pattern, contest.title)]


def _benchmarks():
    for module in MODULES:
        for value in vars(module).values():
            if isinstance(value, type) and value.__module__ == module.__name__:
                yield f"{module.__name__.rpartition('.')[2]}.{value.__name__}", value


def cases_matching(pattern=""):
    """Names of all timed methods with each of their parameters, as text, that match."""
    return [
        (f"{name}.{method}", tuple(map(str, params)))
        for name, kind in _benchmarks()
        for method in vars(kind)
        if method.startswith("time_")
        for params in itertools.product(*kind.params)
        if re.search(pattern, " ".join([f"{name}.{method}", *map(str, params)]))
    ]


def benchmark_named(name, params):
    """Class, method and parameters of a case of :func:`cases_matching`."""
    kind = dict(_benchmarks())[name.rpartition(".")[0]]
    known = {tuple(map(str, values)): values for values in itertools.product(*kind.params)}
    return kind, name.rpartition(".")[2], known[params]


def run(contest, *, rounds=9, budget=6.0):
    """Measure one contest, member after member, round after round.

    Parameters
    ----------
    contest : Contest
    rounds : int
        Most rounds.
    budget : float
        Seconds after which no further round begins; three are made if twice as long allows. A
        member that takes as long by itself is measured once.

    Returns
    -------
    Result
    """
    result = Result(contest)
    ready = {}
    for member in contest.members():
        benchmark, args = contest.benchmark(), (*cached(contest.benchmark), *contest.params(member))
        if _attempt(result, member, lambda b=benchmark, a=args: b.setup(*a)) is not _FAILED:
            ready[member] = benchmark, args
    found = {member: [] for member in ready}
    spent = 0.0
    for done in range(1, rounds + 1):
        for member, (benchmark, args) in list(ready.items()):
            started = time.perf_counter()
            if contest.measures_memory:
                sample = _attempt(result, member, lambda m=member: _memory_apart(contest, m))
            else:
                sample = _attempt(
                    result, member, lambda b=benchmark, a=args: _time(b, contest.method, a)
                )
            seconds = time.perf_counter() - started
            if sample is not _FAILED:
                found[member].append(sample)
            if sample is _FAILED or contest.measures_memory or seconds > budget:
                del ready[member]  # once is enough for what is slow, and for memory
            else:
                spent += seconds
        if not ready or (spent > budget and done >= 3) or spent > 2 * budget:
            break
    result.samples = {
        member: np.array(samples)
        for member, samples in found.items()
        if samples and member not in result.failed
    }
    return result


_FAILED = object()


def _attempt(result, member, action):
    try:
        return action()
    except NotImplementedError as error:
        result.skipped[member] = str(error)
    except Exception as error:  # one that fails does not stop the others
        result.failed[member] = f"{type(error).__name__}: {error}"
        traceback.print_exc(file=sys.stderr)
    return _FAILED


_caches = {}


def cached(benchmark):
    """Result of ``setup_cache``, as a tuple of no or one argument."""
    if not hasattr(benchmark, "setup_cache"):
        return ()
    if benchmark not in _caches:
        _caches[benchmark] = benchmark().setup_cache()
    return (_caches[benchmark],)


def _time(benchmark, method, args):
    benchmark.setup(*args)
    gc.collect()
    gc.disable()
    try:
        wall, cpu = time.perf_counter(), time.process_time()
        getattr(benchmark, method)(*args)
        return time.process_time() - cpu, time.perf_counter() - wall
    finally:
        gc.enable()


def _memory_apart(contest, member):
    """Bytes by which the method raises the memory of a process of its own."""
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawn) as pool:
        return (pool.submit(_memory, contest, member).result(),)


def _memory(contest, member):
    benchmark, args = contest.benchmark(), (*cached(contest.benchmark), *contest.params(member))
    benchmark.setup(*args)
    gc.collect()
    before = _peak(reset=True)
    getattr(benchmark, contest.method)(*args)
    return max(_peak() - before, 0)


def _peak(reset=False):
    """Highest memory use of this process in bytes; on Linux since the last reset.

    Not ``ru_maxrss`` there: a process inherits that from the one that starts it.
    """
    try:
        if reset:
            with open("/proc/self/clear_refs", "w") as file:
                file.write("5")
        with open("/proc/self/status") as file:
            line = next(line for line in file if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    except (OSError, StopIteration):
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
