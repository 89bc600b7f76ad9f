"""One name and one look for each method, in all tables and figures of the suite."""

import io
from collections import defaultdict

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from PIL import Image

from nmfbench.artefacts.plots import Curves, Printed
from nmfbench.artefacts.style import (
    category_styles,
    method_styles,
    save_photographs,
    shows_photographs,
)
from nmfbench.core import registry
from nmfbench.trials.trial import canonical

ARTEFACTS = [entry.target for entry in registry.artefacts.entries()]
LABELS = {a.id: list(dict.fromkeys(m.label for m in a.methods if m.drawn)) for a in ARTEFACTS}


def shape(style):
    return style["color"], style["marker"], str(style["linestyle"])


_BY_OPTIONS = {
    "or-nmf/step-sizes",  # θ is constant there, by an option of the task
    "mahnmf/fig6",  # images drawn at random are no choice of exemplars there, but the rival
}


def test_a_solver_under_the_same_parameters_has_one_name():
    """A setting that has one name in an artefact has the same in all others.

    Left out are names that stand for several settings, and artefacts in which options of the task
    tell methods apart, too, such as the segmentations of images.
    """
    names = defaultdict(set)
    for artefact in (one for one in ARTEFACTS if one.id not in _BY_OPTIONS):
        of_setting, of_label = defaultdict(set), defaultdict(set)
        for method in (one for one in artefact.methods if one.drawn):
            setting = method.solver, canonical(dict(method.params))
            of_setting[setting].add(method.label)
            of_label[method.label].add(setting)
        if all(len(labels) == 1 for labels in of_setting.values()):
            for label, settings in of_label.items():
                if len(settings) == 1:
                    names[settings.pop()].add(label)
    assert {setting: found for setting, found in names.items() if len(found) > 1} == {}


def test_a_name_belongs_to_one_solver():
    """No name stands for different solvers, in one artefact or in two."""
    solvers = defaultdict(set)
    for artefact in ARTEFACTS:
        for method in artefact.methods:
            solvers[method.label].add(method.solver)
    assert {label: found for label, found in solvers.items() if len(found) > 1} == {}


@pytest.mark.parametrize("artefact", LABELS)
def test_methods_of_an_artefact_look_different(artefact):
    """No two methods of an artefact have one colour, marker and line."""
    styles = method_styles(LABELS[artefact])
    assert len({shape(style) for style in styles.values()}) == len(LABELS[artefact])


def test_a_method_looks_the_same_in_all_figures():
    """Whatever a method is shown with, it has one colour, marker and line."""
    looks = defaultdict(set)
    for labels in LABELS.values():
        for label, style in method_styles(labels).items():
            looks[label].add(shape(style))
    assert {label: found for label, found in looks.items() if len(found) > 1} == {}


def test_a_new_method_has_a_look_of_its_own():
    """A variant has the colour of its method; whatever is new differs from what stands beside."""
    labels = ["a solver", "OMF", "OMF, new variant", "another", *(f"more {k}" for k in range(40))]
    styles = method_styles(labels)
    assert list(styles) == labels
    assert len({shape(style) for style in styles.values()}) == len(labels)
    assert styles["OMF, new variant"]["color"] == styles["OMF"]["color"]
    assert styles["OMF"] == method_styles(["OMF"])["OMF"]


def test_categories_look_different():
    """Data sets, which are no methods, have styles by their place in the list."""
    styles = category_styles(["ORL", "YALE", "UMIST"])
    assert len({style["color"] for style in styles.values()}) == 3


def test_printed_numbers_stand_in_the_panels_they_are_of():
    """A printed number is a mark, and a printed axis a shade that leaves the limits alone."""
    rows = [(noise, "NMF", x, 0.5) for noise in ("none", "much") for x in range(5)]
    table = pd.DataFrame(rows, columns=["noise", "method", "x", "mean"])
    table = table.assign(low=0.4, high=0.6, count=3)
    plain = Curves("x", ["NMF"], column="noise", columns={"none": "none", "much": "much"})
    limits = plain(table).axes[0].get_ylim()
    printed = [
        Printed("the paper's axis", (0.0, 2.0)),
        Printed("the paper's NMF", 0.55, 2, at={"noise": "much"}),
        Printed("the paper's level", 0.45, at={"noise": "none"}),
    ]
    how = {"column": "noise", "columns": plain.columns, "named": False}
    figure = Curves("x", ["NMF"], printed=printed, **how)(table)
    none, much = figure.axes
    assert none.get_ylim() == much.get_ylim() == limits
    marks = {line.get_label(): list(line.get_xdata()) for line in much.lines}
    assert marks["the paper's NMF"] == [2]
    assert "the paper's level" not in marks
    assert [len(axis.patches) for axis in (none, much)] == [1, 1]
    (legend,) = figure.legends
    texts = [text.get_text() for text in legend.get_texts()]
    assert texts == ["NMF", *(number.label for number in printed[::2]), "the paper's NMF"]
    plt.close("all")


@pytest.mark.parametrize(("colours", "grey"), [("gray", True), ("gray_r", True), ("magma", False)])
def test_grey_images_are_photographs(colours, grey):
    """Faces and films are grey; a field of colours, whose shades are numbers, is none."""
    figure, (left, right) = plt.subplots(1, 2)
    left.plot([0, 1], [0, 1])
    assert not shows_photographs(figure)
    right.imshow(np.eye(3), cmap=colours)
    assert shows_photographs(figure) == grey
    plt.close(figure)


def test_a_picture_of_photographs_is_as_large_as_drawn():
    """The file is WebP, with the pixels that the figure asks for."""
    figure, axis = plt.subplots(figsize=(2, 1), dpi=100)
    axis.imshow(np.eye(3), cmap="gray")
    file = io.BytesIO()
    save_photographs(figure, file)
    plt.close(figure)
    with Image.open(file) as picture:
        assert (picture.format, picture.size) == ("WEBP", (200, 100))
