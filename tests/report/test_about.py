"""The page on nmfbench itself, and addresses of pages."""

import html
import re

from nmfbench.core import registry
from nmfbench.datasets.base import dataset_info
from nmfbench.pages.environment import render_page
from nmfbench.reports.about import GUIDES, add_addresses, write_about


def test_the_page_says_how_to_install_cite_and_add(tmp_path):
    """With the files of the checkout, each of which is beside it, and the papers' addresses."""
    page, *files = write_about(["mahnmf", "robust-xray"], tmp_path)
    text = page.read_text(encoding="utf-8")
    assert {"CITATION.cff", "codemeta.json", "LICENSE", "CHANGELOG.md"} <= {
        path.name for path in files
    }
    for path in files:
        assert path.exists()
        assert f'href="{path.relative_to(tmp_path).as_posix()}"' in text
    assert 'href="https://arxiv.org/abs/1207.3438"' in text
    ids = set(re.findall(r' id="(\w+)"', text))
    assert set(re.findall(r"about\.html#(\w+)", text)) <= ids


def test_the_guides_of_the_checkout_are_pages(tmp_path):
    """Their links lead to what is there, in the report; of the rest the words are left."""
    _, *files = write_about(["anp"], tmp_path)
    pages = {path.stem: path.read_text(encoding="utf-8") for path in files if "docs" in path.parts}
    assert set(pages) == set(GUIDES)
    for text in pages.values():
        assert "reports/" not in "".join(re.findall(r'href="(.*?)"', text))
        for link in re.findall(r"<main>.*</main>", text, re.DOTALL)[0].split('href="')[1:]:
            target = link.partition('"')[0]
            if "://" not in target and not target.endswith((".html", ".css")):
                assert (tmp_path / "docs" / target.partition("#")[0]).is_file()
    assert "../CONTRIBUTING.md#security" in pages["guarantees"]
    links = re.findall(r'href="(\w+)\.html#([\w-]+)"', "".join(pages.values()))
    within = [(name, place) for name, place in links if name in pages]
    assert within
    for name, place in within:
        assert f' id="{place}"' in pages[name]


def test_the_page_has_the_licence_of_every_data_set(tmp_path):
    """Each with its terms and source; sets that share both share a row."""
    text = html.unescape(write_about(["anp"], tmp_path)[0].read_text(encoding="utf-8"))
    rows = re.findall("<tr><td>(.*?)</td><td>(.*?)</td><td>(.*?)</td></tr>", text)
    found = {name: terms for names, *terms in rows for name in names.split(", ")}
    infos = map(dataset_info, registry.datasets)
    assert found == {info["name"]: [info["licence"], info["source"]] for info in infos}
    assert f"Licences of {len(found)} data sets" in text
    assert len(rows) < len(found)


def test_a_site_gives_pages_their_addresses(tmp_path):
    """Once, in the head, with the title and the description that are there; never without it."""
    text = (
        '<title>A &amp; B</title>\n<meta name="description" content="Found &quot;it&quot;.">'
        '<body><img src="figures/a-small.webp">'
    )
    (tmp_path / "solvers").mkdir()
    page = tmp_path / "solvers" / "a.html"
    page.write_text(text)
    bare = tmp_path / "bare.html"
    bare.write_text("<title>No description</title>")
    for _ in range(2):
        add_addresses([page, bare], tmp_path, "https://example.org/nmf/")
    made = page.read_text()
    assert made.count('<link rel="canonical" href="https://example.org/nmf/solvers/a.html">') == 1
    assert '<meta property="og:title" content="A &amp; B">' in made
    assert '<meta property="og:description" content="Found &quot;it&quot;.">' in made
    assert 'content="https://example.org/nmf/figures/a-small.webp"' in made
    assert bare.read_text() == "<title>No description</title>"


def test_every_page_has_a_description_a_sign_and_a_way_back(tmp_path):
    """From pages below the report's folder, too; a page that is mailed alone has no links home."""
    page = render_page("choose.html", tmp_path, choices=[], scores={}, plain="NMF")
    text = page.read_text(encoding="utf-8")
    assert '<meta name="description" content="nmfbench recomputes' in text
    assert text.count("<main>") == 1
    assert '<link rel="icon" href="assets/favicon.svg"' in text
    assert 'href="about.html#cite"' in text
    assert 'rel="canonical"' not in text
