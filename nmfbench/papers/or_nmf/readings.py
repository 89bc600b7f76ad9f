"""Readings of settings that the paper leaves open, and claims that come out alike at all of them.

Open are the tolerance of inner loops, whether M∗ is kept, the updates of a chunk by ONMF, the steps
of OMF-DA as printed, and the first sums of ONMF-IS. A method at a reading has a name of its own,
unless it is the one drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, product

from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.finding import Test, at_each_reading
from nmfbench.artefacts.grids import Method
from nmfbench.papers.or_nmf.methods import (
    FIRST_SUMS,
    INMF,
    IS,
    MOR,
    OMF,
    OMF_DA,
    ONMF,
    ONMF_IS,
    OR,
    PRINTED,
    STEPS,
    UPDATES,
    WOR,
)

TOLERANCES = (1e-3, 1e-4)
"""Of all inner loops of a comparison: the paper's example for rule (9), and a tenth of it."""
_RESET = ", M∗ of each step"
IS_RESET = IS + _RESET
_TOL = ", tolerance "
_WAYS = {
    label: tuple(ways.values())
    for label, ways in ((ONMF, UPDATES), (PRINTED, STEPS), (ONMF_IS, FIRST_SUMS))
}
_AS_COUNTED = (*(m.label for ways in _WAYS.values() for m in ways), OMF_DA)
"""Methods that no tolerance ends: ONMF has a number of updates, and OMF-DA as printed, which never
rests, one of steps."""
_TOLERANT = (OR, MOR, WOR, OMF, INMF)


def _named(label, tol):
    """Name of a method whose inner loops end at a tolerance: its own, where that is its default."""
    return label if label in _AS_COUNTED or tol == _tolerance(label) else f"{label}{_TOL}{tol:g}"


def _tolerance(label):
    return 1e-4 if label == INMF else 1e-3


def _has_maximum(label):
    """Whether step sizes of a method depend on M∗."""
    return label.partition(",")[0] in (OR, MOR, WOR, IS)


def _reset(label):
    """Name of a method which finds M∗ again in each step."""
    return label + _RESET if _has_maximum(label) else label


def _renamed(names, label):
    return names.get(label, label)


def _read_at(method, tol, *, reset=False):
    """A method at a reading."""
    params = {**method.params}
    if tol != _tolerance(method.label):
        params["tol"] = tol
    if reset:
        params["keep_max"] = False
    label = _reset(method.label) if reset else method.label
    return Method(_named(label, tol), method.solver, params, drawn=False)


def with_readings(
    chosen: Sequence[Method], of: Collection[str] | None = None
) -> tuple[Method, ...]:
    """Methods, and those named in ``of``, by default all, at all readings of their settings."""
    of = [method.label for method in chosen] if of is None else of
    others = []
    for method, tol in product(chosen, TOLERANCES):
        if method.label in of and method.label not in _AS_COUNTED:
            others.append(_read_at(method, tol))
            if _has_maximum(method.label):
                others.append(_read_at(method, tol, reset=True))
    others += [replace(m, drawn=False) for label in of for m in _WAYS.get(label, ())]
    found = {method.label: method for method in chosen}
    for method in others:
        found.setdefault(method.label, method)
    return tuple(found.values())


def readings(*labels: str) -> dict[str, tuple[str, ...]]:
    """Reading in words -> what the methods are called at it.

    Examples
    --------
    >>> readings("INMF", "OMF")["tolerance 0.001"]
    ('INMF, tolerance 0.001', 'OMF')
    >>> readings("OR-NMF", "OMF")["tolerance 0.0001, M∗ of each step"]
    ('OR-NMF, M∗ of each step, tolerance 0.0001', 'OMF, tolerance 0.0001')
    """
    return _readings(*labels)[0]


def _readings(*labels):
    """The readings, and the names of the settings that they are of."""
    axes: dict[str, dict[str, Callable[[str], str]]] = {}
    if any(label not in _AS_COUNTED for label in labels):
        axes["the tolerance of inner loops"] = {
            f"tolerance {tol:g}": partial(_named, tol=tol) for tol in TOLERANCES
        }
    if ONMF in labels:
        axes[f"the updates of a chunk by {ONMF}"] = {
            f"{n} updates": partial(_renamed, {ONMF: UPDATES[n].label}) for n in UPDATES
        }
    if PRINTED in labels:
        axes[f"the steps of {PRINTED}"] = {
            f"{n} steps": partial(_renamed, {PRINTED: STEPS[n].label}) for n in STEPS
        }
    if ONMF_IS in labels:
        axes[f"the first sums of {ONMF_IS}"] = {
            f"first sums {words}": partial(_renamed, {ONMF_IS: FIRST_SUMS[words].label})
            for words in FIRST_SUMS
        }
    if any(map(_has_maximum, labels)):
        axes["whether M∗ is kept"] = {"M∗ kept": str, "M∗ of each step": _reset}
    found = {}
    for ways in product(*(axis.items() for axis in axes.values())):
        names = labels
        for _, rename in reversed(ways):  # a tolerance is the last part of a name
            names = tuple(map(rename, names))
        found[", ".join(words for words, _ in ways)] = names
    return found, " and ".join(", ".join(axes).rsplit(", ", 1))


def one_by_one(*labels: str) -> dict[str, tuple[str, ...]]:
    """Readings of one setting at a time, for experiments whose fits are dear: both tolerances,
    and M∗ of each step at the larger one. Only those that make a difference.

    Examples
    --------
    >>> one_by_one("OR-NMF", "OMF")["M∗ of each step"]
    ('OR-NMF, M∗ of each step', 'OMF')
    >>> [*one_by_one("INMF", "untrained bases")]
    ['tolerance 0.001', 'tolerance 0.0001']
    """
    found: dict[tuple[str, ...], str] = {}
    for words, rename in _ONE_BY_ONE.items():
        found.setdefault(tuple(rename(x) if x in _TOLERANT else x for x in labels), words)
    return {words: names for names, words in found.items()}


_ONE_BY_ONE: dict[str, Callable[[str], str]] = {
    **{f"tolerance {tol:g}": partial(_named, tol=tol) for tol in TOLERANCES},
    "M∗ of each step": lambda label: _named(_reset(label), TOLERANCES[0]),
}


def further(method: Method) -> list[Method]:
    """A method at those readings of :func:`one_by_one` which are not its defaults."""
    if method.label not in _TOLERANT:
        return []
    others = [_read_at(method, tol) for tol in TOLERANCES if tol != _tolerance(method.label)]
    if _has_maximum(method.label):
        others.append(_read_at(method, TOLERANCES[0], reset=True))
    return others


def alike(test_of: Callable[..., Test], *labels: str) -> Test:
    """A test of methods that comes out alike at each reading of the settings that they have.

    Parameters
    ----------
    test_of : callable
        What the methods are called at a reading -> test.
    *labels : str
    """
    found, setting = _readings(*labels)
    return at_each_reading(setting, {words: test_of(*names) for words, names in found.items()})


def pairs_at_readings(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Pairs of methods, each followed by what the two are called at the readings."""
    found = ((pair, *readings(*pair).values()) for pair in pairs)
    return [(side, rival) for side, rival in dict.fromkeys(chain.from_iterable(found))]


def is_reading(name: str) -> bool:
    """Whether a method is there for claims of the paper alone, at a reading that is not drawn."""
    reset = name.endswith(_RESET) and name != IS_RESET
    return _TOL in name or reset or name in (STEPS[20].label, FIRST_SUMS["at random"].label)


def against_onmf(
    id: str,
    statement: str,
    source: str,
    test_of: Callable[[str], Test] | Mapping[str, Callable[[str], Test]],
    *,
    setting: str = f"updates of a chunk by {ONMF}",
    **more,
) -> list[Claim]:
    """A claim that depends on ONMF, alike at each number of its updates; and ours at each.

    Parameters
    ----------
    id, statement, source : str
        Of the claim; the statement ends with a full stop.
    test_of : callable, or mapping of str to callable
        Label of ONMF with some number of updates -> test; of another setting, too, each reading of
        it by its name -> such a function, of which the first one is for our claims.
    setting : str, optional
        Names of both settings.
    **more
        Further fields of the paper's claim.
    """
    ways = test_of if isinstance(test_of, Mapping) else {"": test_of}
    tests = {
        f"{n}, {words}" if words else str(n): way(method.label)
        for words, way in ways.items()
        for n, method in UPDATES.items()
    }
    first = next(iter(ways.values()))
    return [
        Claim(id, statement, source, at_each_reading(setting, tests), **more),
        *(
            Claim(
                f"{id}-{n}-updates",
                f"{statement.removesuffix('.')} (with {n} updates of a chunk by {ONMF}).",
                f"ours, after {source}",
                first(method.label),
                origin="ours",
            )
            for n, method in UPDATES.items()
        ),
    ]
