"""Strips of clips, and the sprite of which a page shows one frame at a time."""

import html
import re

import numpy as np
import pytest
from PIL import Image

from nmfbench.artefacts.strips import Strip, outlined
from nmfbench.reports.section import section
from nmfbench.reports.sprite import pack


def flat(levels, shape):
    """Images of one grey level each."""
    return np.multiply.outer(np.uint8(levels), np.ones(shape, np.uint8))


STRIPS = [
    Strip("A", ["frame 1", "frame 5"], {"": {"frame": flat([10, 40], (24, 30))}}),
    Strip(
        "B",
        ["frame 2", "frame 4", "frame 9"],
        {
            "": {"frame": flat([70, 100, 130], (20, 16))},
            "RPCA": {
                "background": flat([160, 190, 220], (20, 16)),
                "foreground": np.stack([flat([250, 0, 125], (20, 16))] * 3, axis=-1),
            },
        },
        first=1,
    ),
]
VIEWS = [
    (strip, views, name, k)
    for strip in STRIPS
    for views in strip.columns.values()
    for name in views
    for k in range(len(strip.frames))
]


def tiles_of(sprite):
    """Tiles by title of their strip and name."""
    return {
        (strip.title, tile.name): tile
        for strip, columns in sprite.clips
        for tiles in columns.values()
        for tile in tiles
    }


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The sprite of the strips, and what a reader of its file sees."""
    sprite = pack(STRIPS)
    path = tmp_path_factory.mktemp("sprite") / "s.webp"
    sprite.save(path)
    return sprite, np.array(Image.open(path).convert("RGB"))


@pytest.mark.parametrize(("strip", "views", "name", "k"), VIEWS)
def test_each_frame_is_where_its_tile_says(written, strip, views, name, k):
    """Frame k of a view is k widths to the right of where its tile begins, in the file, too."""
    sprite, seen = written
    tile = tiles_of(sprite)[strip.title, name]
    there = np.s_[tile.top : tile.top + tile.height, k * tile.width : (k + 1) * tile.width]
    image = views[name][k]
    image = image if image.ndim == 3 else image[..., None]
    np.testing.assert_array_equal(
        sprite.image[there], np.broadcast_to(image, (*image.shape[:2], 3))
    )
    assert seen.shape == sprite.image.shape
    assert abs(seen[there].astype(float) - image).mean() < 12


def test_a_line_surrounds_the_foreground():
    """The line is just outside of the foreground, which stays what it is, as does the rest."""
    images = flat([50, 90], (7, 8))
    foreground = np.zeros(images.shape, bool)
    foreground[0, 2:4, 3:5] = True
    drawn = outlined(images, foreground)
    coloured = (drawn != drawn[..., :1]).any(axis=-1)
    expected = np.zeros_like(foreground)
    expected[0, 1:5, 2:6] = True
    np.testing.assert_array_equal(coloured, expected & ~foreground)
    np.testing.assert_array_equal(drawn[~coloured], np.stack([images[~coloured]] * 3, axis=-1))


def test_a_page_lets_its_reader_step_through_the_clips(smoke_store, tmp_path):
    """Each clip has a slider, hidden until a script moves it, and shows a frame without scripts."""
    made = section("mahnmf/fig16", store=smoke_store, profile="smoke", output=tmp_path)
    picture, sprite = made.pictures
    assert (picture, sprite) == ("figures/mahnmf-fig16.webp", "figures/mahnmf-fig16.frames.webp")
    assert f'<img src="{picture}"' in made.html
    with Image.open(tmp_path / sprite) as image:
        width, height = image.size
    strips = re.findall(r'<details class="strip".*?</details>', made.html, re.DOTALL)
    assert [re.search("<summary>(.*?)<", strip)[1] for strip in strips] == [
        "Step through Moving square",
        "Step through Switched",
    ]
    for strip in strips:
        slider = re.search(r"<input[^>]*>", strip)[0]
        assert 'type="range" hidden min="0" max="6" value="2"' in slider
        assert 'aria-label="frame of' in slider
        names = html.unescape(re.search(r'data-frames="(.*?)"', slider)[1]).split("|")
        assert len(names) == 7
        assert f"<b>{names[2]}</b>" in strip
        windows = re.findall(
            r'viewBox="(\d+) (\d+) (\d+) (\d+)" role="img" aria-label="(.*?)"', strip
        )
        assert [name for *_, name in windows] == [
            "frame",
            "MahNMF (RRI): background",
            "MahNMF (RRI): foreground",
            "RPCA: background",
            "RPCA: foreground",
            "GoDec: background",
            "GoDec: foreground",
        ]
        for x, y, w, h, _ in windows:
            assert (int(x), int(w), int(h)) == (2 * 32, 32, 24)
            assert int(y) + int(h) <= height
        assert strip.count(f'<image href="{sprite}" width="{width}" height="{height}"/>') == 7


def test_pages_of_papers_have_the_script(smoke_report):
    """One script on a page moves all of its strips."""
    page = (smoke_report.folder / "robust-xray.html").read_text(encoding="utf-8")
    assert page.count("<script>") == 1
    assert 'querySelectorAll(".strip")' in page
