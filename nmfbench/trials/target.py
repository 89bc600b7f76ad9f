"""Numerical targets: the instructions with which sums are computed, and so how they are rounded.

OpenBLAS, numba and numpy look at the processor and take its widest instructions. Wider vectors add
in another order, so that one trial has other last digits on another processor, and a method that
follows a rounding error into another local optimum has other results altogether. Untimed trials are
therefore computed under one fixed target, :data:`REFERENCE`, and have the same bits on every x86-64
processor with AVX2 under the same releases. Timed trials run with all that a processor has,
:data:`NATIVE`: their seconds are the result. Each record says what was in force.

All of it is decided when numpy, scipy and numba are imported, by environment variables: a target
is that of a process, and a process that computes trials is started with it. Arithmetic is always on
one thread, except where a target says otherwise.

The other targets are for tests, and for measuring what rounding does to a result
(:mod:`nmfbench.audits.rounding`). The environment variable ``NMFBENCH_TARGET`` names the target of
untimed trials where no ``--target`` is given.
"""

from __future__ import annotations

import functools
import os
import platform
import zlib
from collections.abc import Callable, Mapping

import numpy as np

__all__ = [
    "FIELDS",
    "NATIVE",
    "REFERENCE",
    "VARIABLE",
    "available",
    "environment",
    "in_force",
    "is_known",
    "is_reference",
    "target_of",
]

REFERENCE = "reference"
"""OpenBLAS kernels for Haswell, numba code for x86-64-v3 (AVX2 and FMA), numpy without AVX-512.

These are the widest instructions that nearly all x86-64 processors in use have, and OpenBLAS has
one set of kernels for them, whatever the maker. On other processors it is the same as ``NATIVE``.
"""

NATIVE = "native"
"""The choice of OpenBLAS, numba and numpy for this processor, or that of the environment."""

VARIABLE = "NMFBENCH_TARGET"

FIELDS = ("blas", "numba-target", "numpy-simd", "libc")
"""Entries of a record's versions that describe its target."""

_POOLS = ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMEXPR", "NUMBA", "VECLIB_MAXIMUM")
_V2 = "64bit cmov cx16 cx8 fxsr mmx popcnt sahf sse sse2 sse3 sse4.1 sse4.2 ssse3"
_V3 = f"{_V2} avx avx2 bmi bmi2 f16c fma lzcnt movbe xsave"
_V4 = f"{_V3} avx512bw avx512cd avx512dq avx512f avx512vl"


def _x86(kernels, level, features, *, numpy_beyond):
    """Variables that hold all three libraries to a level of x86-64.

    numba takes all features of the processor unless it is given both a name and features.
    """
    return {
        "OPENBLAS_CORETYPE": kernels,
        "NUMBA_CPU_NAME": level,
        "NUMBA_CPU_FEATURES": ",".join(f"+{name}" for name in features.split()),
        "NPY_DISABLE_CPU_FEATURES": " ".join(filter(numpy_beyond, _dispatched())),
    }


def _dispatched() -> list[str]:
    """The levels of instructions beyond its baseline that this numpy has code for."""
    found = np.show_config(mode="dicts")["SIMD Extensions"]
    return [*found.get("found", ()), *found.get("not found", ())]


def _is_avx512(name):
    return name.startswith("AVX512") or name == "X86_V4"


_TARGETS: dict[str, Callable[[], dict[str, str]]] = {
    REFERENCE: lambda: _x86("Haswell", "x86-64-v3", _V3, numpy_beyond=_is_avx512),
    NATIVE: dict,
    # Processors of 2008 and of 2004.
    "nehalem": lambda: _x86("Nehalem", "x86-64-v2", _V2, numpy_beyond=lambda name: True),
    "generic": lambda: _x86("Prescott", "x86-64", "64bit sse sse2", numpy_beyond=lambda name: True),
    "avx512": lambda: _x86("SkylakeX", "x86-64-v4", _V4, numpy_beyond=lambda name: False),
    "two-threads": lambda: _TARGETS[REFERENCE]() | {"OPENBLAS_NUM_THREADS": "2"},
}
_NEEDS = {REFERENCE: _V3, "nehalem": _V2, "avx512": _V4, "two-threads": _V3}


def available() -> list[str]:
    """Targets under which this machine can compute and whose numbers may differ from each other's.

    Where it has no AVX2, ``"reference"`` is ``"native"``, and not among them.
    """
    return [name for name in _TARGETS if name == NATIVE or _can(name)]


def _can(name) -> bool:
    return platform.machine() in ("x86_64", "AMD64") and _features() >= set(
        _NEEDS.get(name, "").split()
    )


@functools.cache
def _features() -> set[str]:
    from llvmlite.binding import get_host_cpu_features

    return {name for name, there in get_host_cpu_features().items() if there}


def target_of(*, timed: bool, untimed: str | None = None) -> str:
    """The target of a trial; of an untimed one the name given, else what the environment says."""
    return NATIVE if timed else untimed or os.environ.get(VARIABLE) or REFERENCE


@functools.cache
def environment(name: str) -> dict[str, str]:
    """Variables to be set before a process that computes under a target imports numpy.

    Raises
    ------
    ValueError
        If there is no such target, or this machine lacks the instructions.
    """
    if name not in _TARGETS:
        raise ValueError(
            f"there is no numerical target {name!r}; this machine has {', '.join(available())}."
        )
    if not _can(name) and name not in (REFERENCE, NATIVE):
        raise ValueError(
            f"this machine lacks instructions of the numerical target {name!r}; it has "
            f"{', '.join(available())}."
        )
    one_thread = {f"{pool}_NUM_THREADS": "1" for pool in _POOLS}
    return one_thread | (_TARGETS[name]() if _can(name) else {})


@functools.cache
def in_force() -> dict[str, str]:
    """Target of this process: ``blas``, ``numba-target``, ``numpy-simd`` and ``libc``.

    ``blas`` has each copy of the library that is loaded (numpy and scipy bring their own), with
    release, kernels and threads.
    """
    import scipy.linalg.blas  # noqa: F401  loads scipy's copy
    from numba.core.registry import cpu_target
    from threadpoolctl import threadpool_info

    pools = [pool for pool in threadpool_info() if pool["user_api"] == "blas"]
    _, cpu, features = cpu_target.target_context.codegen().magic_tuple()
    name, release = platform.libc_ver()
    simd = np.show_config(mode="dicts")["SIMD Extensions"]
    return {
        "blas": ", ".join(sorted(map(_library, pools))) or "unknown",
        "numba-target": f"{cpu} {zlib.crc32(features.encode()):08x}",
        "numpy-simd": " ".join([*simd.get("baseline", ()), *simd.get("found", ())]),
        "libc": f"{name} {release}".strip() or platform.system(),
    }


def is_known(versions: Mapping[str, str]) -> bool:
    """Whether the versions of a record say under which target it was computed."""
    return all(name in versions for name in FIELDS)


def is_reference(versions: Mapping[str, str]) -> bool:
    """Whether the versions of a record say that it was computed under the reference target.

    Examples
    --------
    >>> blas = "openblas 0.3.30 Haswell x1, openblas 0.3.31 Haswell x1"
    >>> found = {"blas": blas, "numba-target": "x86-64-v3 c1a73bd8", "numpy-simd": "X86_V2 X86_V3"}
    >>> is_reference(found | {"libc": "glibc 2.36"})
    True
    >>> is_reference({"numpy": "2.4.6"})
    False
    """
    return (
        is_known(versions)
        and all(library.endswith(" Haswell x1") for library in versions["blas"].split(", "))
        and versions["numba-target"].partition(" ")[0] == "x86-64-v3"
        and not any(map(_is_avx512, versions["numpy-simd"].split()))
    )


def _library(pool) -> str:
    kernels = pool.get("architecture", "unknown kernels")
    return f"{pool['internal_api']} {pool['version']} {kernels} x{pool['num_threads']}"
