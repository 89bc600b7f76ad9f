"""How fast, and in how much memory: solvers, kernels, and peers on the same task.

Two ways to run them::

    make bench                   every contest in one go, interleaved: medians and ratios
    asv continuous main HEAD     the same benchmarks at two commits: what became slower?

A class is a benchmark in asv's sense: ``params`` are the cases, ``setup`` makes data and compiles,
``time_*`` and ``peakmem_*`` are measured. Some attributes are for the table of ``make bench``:
``compared`` names the parameter whose values compete, and ``reference`` the value that the others
are divided by; the other parameters make the groups. ``memory_in_table`` adds ``peakmem_*``.

Times are CPU seconds on one thread. ``setup`` is called before every measurement, so it keeps what
is dear. It raises NotImplementedError where a case does not apply: a solver that an old commit
lacks, a data set that is not here.
"""

import os
import time
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from threadpoolctl import threadpool_limits

# One thread, or medians depend on what else the host does. The variables are for libraries not
# yet loaded; asv has loaded numpy's by now, through the packages that it imports.
for _library in ("OMP", "OPENBLAS", "MKL", "NUMBA", "VECLIB_MAXIMUM"):
    os.environ[f"{_library}_NUM_THREADS"] = "1"
threadpool_limits(1)

CHECKOUT = Path(__file__).resolve().parents[1]

# asv installs the package elsewhere, from where it does not see the data beside the checkout.
_data = CHECKOUT.parent / "shared" / "data"
if _data.is_dir():
    os.environ.setdefault("NMFBENCH_DATA", str(_data))

QUICK = os.environ.get("NMFBENCH_BENCHMARKS") == "quick"
"""Whether data are small and few, to see that everything runs. Its times mean nothing."""


def module(room, name):
    """The module ``nmfbench.<room>.<name>``, which early commits have as ``nmfbench.<name>``."""
    home = f"nmfbench.{room}"
    return import_module(f"{home}.{name}" if find_spec(home) else f"nmfbench.{name}")


class Benchmark:
    """Settings that asv reads, then settings of the table."""

    timer = time.process_time
    timeout = 300.0
    warmup_time = 0
    rounds = 2
    repeat = (2, 7, 4.0)

    compared = ""
    reference = ""
    memory_in_table = False
