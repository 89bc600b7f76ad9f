"""The page on nmfbench itself, and addresses of pages for search engines and previews."""

from __future__ import annotations

import html
import re
import shutil
from collections.abc import Iterable, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from markupsafe import Markup
from nbconvert.filters import markdown2html

import nmfbench
from nmfbench.core import registry
from nmfbench.core.shipped import shipped
from nmfbench.datasets.base import dataset_info
from nmfbench.pages.environment import render_page
from nmfbench.papers.paper import paper

__all__ = ["add_addresses", "write_about"]

GUIDES = {
    "readers": "For readers of the papers",
    "practitioners": "For practitioners",
    "authors": "For authors of a solver",
    "maintainers": "For maintainers",
    "guarantees": "What you can rely on",
}
"""Pages of the folder ``docs``, and their titles."""

_FILES = ("CITATION.cff", "codemeta.json", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md")


def write_about(papers: Sequence[str], output: Path, *, changes: bool = False) -> list[Path]:
    """Write ``about.html`` and the guides, and copy what they link; their paths.

    Parameters
    ----------
    papers : sequence of str
        Keys of the papers.
    output : Path
        Folder of the report.
    changes : bool, default=False
        Whether there is a page of verdicts that moved.
    """
    files = {name: path for name in _FILES if (path := shipped(name)) is not None}
    for name, path in files.items():
        shutil.copyfile(path, output / name)
    sources = {name: shipped(f"docs/{name}.md") for name in GUIDES}
    guides = {name: title for name, title in GUIDES.items() if sources[name] is not None}
    page = render_page(
        "about.html",
        output,
        papers={key: paper(key) for key in papers},
        files=files,
        guides=guides,
        urls=_urls(),
        licence="BSD 3-Clause",
        licences=_data_licences(),
        changes=changes,
        tutorial=(output / "tutorial.html").is_file(),
        version=nmfbench.__version__,
    )
    written = [_write_guide(sources[name], guides, output) for name in guides]
    return [page, *written, *(output / name for name in files)]


def _write_guide(source, guides, output):
    """Write one of the guides as a page in the folder ``docs`` of the report; its path."""
    (output / "docs").mkdir(exist_ok=True)
    text = source.read_text(encoding="utf-8").replace("](../reports/", "](../")
    for name in guides:
        text = text.replace(f"]({name}.md", f"]({name}.html")
    body = _HEADING.sub(lambda begin: begin[0].lower(), _ANCHOR.sub("", markdown2html(text)))
    pages = {f"{name}.html" for name in guides}

    def kept(link):
        leads = link[1] in pages or (output / "docs" / link[1]).is_file()
        return link[0] if leads else link[2]

    body = _LINK.sub(kept, body).replace("<pre>", '<pre tabindex="0">')
    values = {"title": guides[source.stem], "body": Markup(body)}
    return render_page("guide.html", output, f"docs/{source.stem}.html", **values)


# Links to headings are in lower case, as hosts of code have them.
_HEADING = re.compile('<h[1-6] id="[^"]*"')
_ANCHOR = re.compile('<a class="anchor-link".*?</a>', re.DOTALL)
_LINK = re.compile(r'<a href="([^"#:]+)[^":]*">(.*?)</a>', re.DOTALL)


def _data_licences() -> list[dict[str, Any]]:
    """Source and licence of every data set; sets that share both are one row."""
    names: dict[tuple[str, str], list[str]] = {}
    for entry in registry.datasets.entries():
        info = dataset_info(entry.key)
        names.setdefault((info["source"], info["licence"]), []).append(entry.key)
    return [
        {"names": found, "source": source, "licence": licence}
        for (source, licence), found in names.items()
    ]


def _urls() -> dict[str, str]:
    """Addresses that the package's metadata declare, such as that of the repository."""
    try:
        declared = metadata.metadata("nmfbench").get_all("Project-URL") or []
    except metadata.PackageNotFoundError:
        return {}
    return dict(re.split(r",\s*", line, maxsplit=1) for line in declared)


def add_addresses(pages: Iterable[Path], output: Path, site: str) -> None:
    """Give pages their canonical address and what previews of links show.

    Parameters
    ----------
    pages : iterable of Path
        Below ``output``; those without a description are left as they are.
    output : Path
        Folder of the report.
    site : str
        Address under which that folder is published.
    """
    site = site.rstrip("/")
    for path in pages:
        text = path.read_text(encoding="utf-8")
        title = re.search("<title>(.*?)</title>", text, re.DOTALL)
        described = re.search('<meta name="description" content="(.*?)">', text)
        if title is None or described is None or 'rel="canonical"' in text:
            continue
        address = html.escape(f"{site}/{path.relative_to(output).as_posix()}")
        image = re.search(r'<img src="(figures/[^"]+)"', text)
        tags = [
            f'<link rel="canonical" href="{address}">',
            f'<meta property="og:title" content="{title[1].strip()}">',
            f'<meta property="og:description" content="{described[1]}">',
            f'<meta property="og:url" content="{address}">',
            '<meta property="og:type" content="website">',
        ]
        if image:
            tags.append(f'<meta property="og:image" content="{html.escape(site)}/{image[1]}">')
        marked = text.replace(described[0], "\n".join([described[0], *tags]), 1)
        path.write_text(marked, encoding="utf-8")
