"""Pictures and tables of a page that is one file: written beside it, and pictures within it."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from markupsafe import Markup
from matplotlib.figure import Figure

from nmfbench.artefacts.drawn import figure_data
from nmfbench.artefacts.style import save_picture
from nmfbench.pages.environment import ASSETS

__all__ = ["Picture", "asset", "save", "write_tables"]

_LARGEST = 400_000  # bytes of numbers that a page holds for a figure, as it is to be mailed
_NO_DATE = {"CreationDate": None, "Producer": None, "Creator": None}


@dataclass(frozen=True)
class Picture:
    """A figure on a page: its file name without the ending, heading, caption and how to draw."""

    name: str
    title: str
    caption: str
    draw: Callable[..., Figure]


def save(picture: Picture, folder: Path) -> dict[str, Any]:
    """Write PNG, PDF and the numbers of the curves; for the page the PNG as text, and a script."""
    figure = picture.draw()
    curves = figure_data(figure)
    figure.draw_without_rendering()
    figure.set_layout_engine("none")  # it has its layout, which takes longer than the rest
    # No date or software version in the files: the same records give the same bytes.
    figure.savefig(folder / f"{picture.name}.pdf", bbox_inches="tight", metadata=_NO_DATE)
    png = io.BytesIO()
    save_picture(figure, png, "png", dpi=110, bbox_inches="tight")
    plt.close(figure)
    (folder / f"{picture.name}.png").write_bytes(png.getvalue())
    script = ""
    if curves is not None:
        (folder / f"{picture.name}.csv").write_text(curves.csv(), encoding="utf-8")
        script = curves.script(picture.name)
    return {
        "data": base64.b64encode(png.getvalue()).decode(),
        "script": Markup(script if len(script) <= _LARGEST else ""),
        "numbers": bool(script),
    }


def write_tables(tables: Mapping[str, pd.DataFrame], output: Path) -> None:
    """Write each table as CSV into the folder ``tables`` of the page's."""
    folder = output / "tables"
    folder.mkdir(exist_ok=True)
    for name, table in tables.items():
        table.to_csv(folder / f"{name}.csv", index=False, lineterminator="\n")


def asset(name: str) -> Markup:
    """A script or a style, to stand in the page."""
    return Markup((ASSETS / name).read_text(encoding="utf-8"))
