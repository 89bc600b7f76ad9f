"""Claims on each clip in which foreground is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from nmfbench.artefacts.claim import Claim, said_at
from nmfbench.artefacts.comparisons import At, rows_of
from nmfbench.artefacts.estimate import of_units
from nmfbench.artefacts.finding import Finding, Test, at_each_reading, within
from nmfbench.artefacts.region import Lead
from nmfbench.papers.clips import Clip
from nmfbench.papers.mahnmf.videos import ERRORS, GODEC, MAH, MEAN, READINGS, RPCA
from nmfbench.papers.roc_areas import as_good


def _at_readings(test_of: Callable[[dict[str, str]], Test]) -> Test:
    """A test by the names of the methods that comes out alike by both algorithms at both ranks."""
    tests = {words: test_of(names) for words, names in READINGS.items()}
    return at_each_reading("the algorithm and the rank", tests)


def _nearer_than_mean(error: str, at: At, names: dict[str, str]) -> Test:
    """The background of MahNMF has a smaller error than the mean of the frames of the clip."""

    def test(frame):
        rows = rows_of(frame, names[MAH])
        leads = (rows[f"{error}-mean"] - rows[error]).groupby(rows["repeat"]).mean().dropna()
        if leads.empty:
            return Finding.without("not run", "no trial of this grid measures it")
        text = f"{MEAN} minus {names[MAH]}: {{}} grey levels of error {ERRORS[error]}"
        return Finding(text, [of_units(leads, error)], Lead(), unit="random starts")

    return within(at, test)


def _as_good(rival: str, at: At, names: dict[str, str]) -> Test:
    return as_good(names[MAH], names[rival], at=at)


def claims(masked: Sequence[Clip]) -> list[Claim]:
    """Claims on each clip with masks."""
    source = "Section 5.4.1"
    found = []
    for clip in masked:
        at = {"clip": clip.label}
        slug = clip.dataset.removeprefix("video-") + ("-switch" if clip.light_switch else "")
        # No single image, be it the mean, is the background of a clip whose light changes.
        who = said_at(source, ours=clip.light_switch)
        found += [
            Claim(
                f"detail-{slug}",
                f"{clip.label}: MahNMF keeps the detail of the background; where it is seen, the "
                "error is smaller than with the temporal mean.",
                test=_at_readings(partial(_nearer_than_mean, "age", at)),
                **who,
            ),
            Claim(
                f"ghosts-{slug}",
                f"{clip.label}: MahNMF keeps the foreground out of the background; under it, the "
                "error is smaller than with the temporal mean.",
                test=_at_readings(partial(_nearer_than_mean, "age-fg", at)),
                **who,
            ),
            *(
                Claim(
                    f"{rival.lower()}-{slug}",
                    f"{clip.label}: MahNMF is comparable to {rival} or better (hit rate at "
                    "false-alarm rates up to 0.2).",
                    source,
                    _at_readings(partial(_as_good, rival, at)),
                )
                for rival in (RPCA, GODEC)
            ),
        ]
    return found
