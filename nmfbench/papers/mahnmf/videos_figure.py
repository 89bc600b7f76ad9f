"""Pictures of backgrounds and foregrounds of clips, with numbers below: Figures 16 and 17."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.plan import Plan
from nmfbench.artefacts.plots import image_grid
from nmfbench.artefacts.strips import Strip, outlined
from nmfbench.artefacts.tables import deviation_texts
from nmfbench.papers.clips import Clip
from nmfbench.papers.mahnmf.videos import METHODS, PRINTED, SMOKE, frame, table, trials
from nmfbench.papers.mahnmf.videos_claims import claims
from nmfbench.papers.roc_areas import UNCERTAINTY

_AT_THIRDS = (2, 4)  # of the frames that are shown


def scores(table: pd.DataFrame) -> pd.DataFrame:
    """Numbers of the clips with masks, as printed."""
    rows = table[table["auc"].notna()]
    printed = {
        title: deviation_texts(rows, name, "fits", places)
        for name, (title, places) in PRINTED.items()
    }
    again = rows["clip"].duplicated()
    return pd.DataFrame({"clip": rows["clip"].mask(again, ""), "method": rows["method"]} | printed)


def strips(table: pd.DataFrame) -> list[Strip]:
    """Frames of each clip, with background and foreground of each method.

    The foreground is the distance of the frame from the background; in a clip the same distance
    has the same grey with all methods, white from their 99.5 % quantile on.
    """
    found = []
    for clip, rows in table.groupby("clip", sort=False):
        shown = rows.dropna(subset="backgrounds").set_index("method")
        if shown.empty:
            continue
        first = shown.iloc[0]
        frames = np.array(first["frames"], dtype=np.int16)
        images_of = shown["backgrounds"].items()
        backgrounds = {m: np.array(images, dtype=np.int16) for m, images in images_of}
        away = {m: np.abs(frames - images) for m, images in backgrounds.items()}
        white = max(np.quantile(list(away.values()), 0.995), 1)
        masks = np.array(first["masks"]) == 255 if isinstance(first["masks"], list) else None
        columns = {"": {"frame": _image(frames, masks)}}
        for method, images in backgrounds.items():
            foreground = away[method] * (255 / white)
            # A line on the background would hide what is left of the foreground.
            columns[method] = {
                "background": _image(images),
                "foreground": _image(foreground, masks),
            }
        names = [f"frame {row + 1}" for row in first["shown"]]
        found.append(Strip(clip, names, columns, _AT_THIRDS[0]))
    return found


def _image(images, masks=None):
    """Eight-bit images, with the foreground outlined if it is known."""
    images = np.clip(images, 0, 255).astype(np.uint8)
    return images if masks is None else outlined(images, masks)


def draw(own: Sequence[Clip], table: pd.DataFrame):
    """Two frames of each of the paper's clips, beside them what each method makes of it."""
    titles = [clip.label for clip in (*own, *SMOKE[:1])]
    there = [strip for strip in strips(table) if strip.title in titles]
    rows = {f"{strip.title}\n{strip.frames[k]}": (strip, k) for strip in there for k in _AT_THIRDS}
    columns = {
        (m, v): f"{m}\n{v}" for s in there[:1] for m, views in s.columns.items() for v in views
    }

    def panel(axis, row, column):
        strip, k = rows[row]
        method, view = column
        axis.imshow(strip.columns[method][view][k], cmap="gray", vmin=0, vmax=255)
        axis.set(xticks=[], yticks=[])
        axis.grid(False)

    return image_grid(list(rows), columns, panel, size=(1.6, 1.3))


def figure(
    name: str, title: str, own: Sequence[Clip], masked: Sequence[Clip], assumed: dict[str, str]
) -> Artefact:
    """The artefact of Figure 16 or 17.

    Parameters
    ----------
    name, title : str
    own : sequence of Clip
        The paper's, for the pictures.
    masked : sequence of Clip
        Those in which foreground is known, for the numbers and claims.
    assumed : dict of str to str
    """
    return register_artefact(
        Artefact(
            f"mahnmf/{name}",
            title=title,
            kind="figure",
            methods=METHODS,
            grid=partial(trials, own, masked),
            frame=frame,
            table=table,
            picture=partial(draw, own),
            scores=scores,
            strips=strips,
            claims=claims(masked),
            planned=Plan(5, "Complete when plans were made; a repeat takes 2 min of CPU time."),
            assumed=assumed | ASSUMED,
            caption=CAPTION,
        )
    )


ASSUMED = {
    "frames": "The number used is lost in the text; up to 200, evenly spaced, of which 20 with a "
    "mask are scored. Shown are those at one and two thirds.",
    "parameters": "Rank 2 of MahNMF and GoDec, that of the latter's demonstration, is shown; the "
    "paper's is lost, so that claims are decided where they come out alike at 1 and 2. Of GoDec "
    "the sparse part has 7.45 % of the entries, as in the authors' demonstration; λ of RPCA is "
    "1/√max(m, n). Its tolerance is that of single precision, in which all methods compute.",
    "algorithm": "The paper has two, and does not say which one it used here: rank-one residual "
    "iteration is shown, and claims are decided where smoothing comes out alike. Its sub-problems "
    "end by the change of the smoothed objective, as in the paper's Eq. (22), at 0.01, ours, with "
    "the Lipschitz constant itself in place of the paper's bound; until their gradient is small, "
    "by which they end in other artefacts, a fit of a clip takes minutes. Both algorithms stop by "
    "rule (4) at 0.001, ours.",
    "foreground": "The distance of the frame from the background, for all methods, on one scale "
    "of grey in each clip: a scale for each picture would hide differences.",
    "without losing detail": "Read as two errors in grey levels of 255 on clips with masks, which "
    "stand in for the paper's: AGE, of the background where it is seen, and the error under the "
    "foreground, against what the background is in other frames. Without a number in the paper "
    "both are to be smaller than with the mean of the frames, which any foreground blurs. Where "
    "the light changes, the mean fails for that reason alone: there both are our questions.",
    "comparable": f"The paper gives no margin: not worse by more than ours. {UNCERTAINTY}",
}

CAPTION = (
    "Two frames of each of the paper's clips, of the fits to at most 100 of its frames; numbers "
    "are of the fits to the most. Foregrounds are the distance of the frame from the background, "
    "on one scale of grey for the three methods. The clips to step through include those with "
    "masks, in which an orange line surrounds the foreground. Table: clips with masks. AUC and "
    "pAUC: areas under the ROC curve, up to a false-alarm rate of 1 and 0.2. F: at a threshold "
    "chosen on the other scored frames. AGE: error of the background in grey levels. Mean ± "
    "standard deviation over random starts and, with the simulated switch, lights."
)
