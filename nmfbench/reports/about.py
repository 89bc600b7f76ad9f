"""The page on nmfbench itself, and addresses of pages for search engines and previews."""

from __future__ import annotations

import html
import re
import shutil
from collections.abc import Iterable, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import nmfbench
from nmfbench.core import registry
from nmfbench.datasets.base import dataset_info
from nmfbench.pages.environment import render_page
from nmfbench.papers.paper import paper

__all__ = ["add_addresses", "write_about"]

_FILES = ("CITATION.cff", "codemeta.json", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md")


def write_about(papers: Sequence[str], output: Path, *, changes: bool = False) -> list[Path]:
    """Write ``about.html``, and copy what it links from a checkout; their paths.

    Parameters
    ----------
    papers : sequence of str
        Keys of the papers.
    output : Path
        Folder of the report.
    changes : bool, default=False
        Whether there is a page of verdicts that moved.
    """
    checkout = Path(nmfbench.__file__).parent.parent
    files = [name for name in _FILES if (checkout / name).is_file()]
    for name in files:
        shutil.copyfile(checkout / name, output / name)
    page = render_page(
        "about.html",
        output,
        papers={key: paper(key) for key in papers},
        files=files,
        urls=_urls(),
        licence="BSD 3-Clause",
        licences=_data_licences(),
        changes=changes,
        version=nmfbench.__version__,
    )
    return [page, *(output / name for name in files)]


def _data_licences() -> list[dict[str, Any]]:
    """Source and licence of every data set, those that share both in one row."""
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
