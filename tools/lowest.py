"""Print the lowest version allowed of each dependency, as constraints of pip.

Used by ``make test-lowest``.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

from packaging.requirements import Requirement

SETTINGS = Path(__file__).parents[1] / "pyproject.toml"


def constraints(project: dict) -> list[str]:
    """``name==version`` for each requirement with a lower bound, extras included.

    Parameters
    ----------
    project : dict
        The table ``project`` of a ``pyproject.toml``.

    Examples
    --------
    >>> constraints({"dependencies": ["numpy>=1.26", "a>=2,<4"]})
    ['a==2', 'numpy==1.26']
    """
    lines = [*project["dependencies"]]
    for extra in project.get("optional-dependencies", {}).values():
        lines += extra
    return sorted(
        f"{requirement.name}=={bound.version}"
        for requirement in map(Requirement, lines)
        for bound in requirement.specifier
        if bound.operator == ">="
    )


if __name__ == "__main__":
    with SETTINGS.open("rb") as file:
        print("\n".join(constraints(tomllib.load(file)["project"])))
