"""``nmfbench data``: list, fetch and verify data sets."""

from __future__ import annotations

import sys

from nmfbench.cli import options
from nmfbench.cli.output import Result, notice, table


def add(commands):
    sub = options.add_command(commands, "data", run, "what data are at hand; get them; check them")
    options.print_json(sub)
    sub.add_argument(
        "action",
        choices=_ACTIONS,
        help="fetch downloads into the user's cache; verify reads the files and checks them",
    )
    sub.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="data sets; by default all (fetch: all that are missing and have a public home)",
    )


def run(args) -> Result:
    named = "all" not in args.names and bool(args.names)
    return _ACTIONS[args.action](_datasets(args.names), named=named)


def _datasets(names):
    from nmfbench.core import registry

    for name in names:
        if name != "all":
            registry.datasets[name]  # an unknown one ends here, with its near misses
    if not names or "all" in names:
        return list(registry.datasets)
    return list(dict.fromkeys(names))


def _list(names, named):
    from nmfbench.datasets.base import dataset_info

    rows = [dataset_info(name) for name in names]
    columns = ("name", "n_samples", "n_features", "n_classes", "available", "public_home")
    return Result(rows, table(rows, (*columns, "licence")))


def _fetch(names, named):
    from nmfbench.datasets.base import dataset_available, dataset_info
    from nmfbench.datasets.errors import DataError
    from nmfbench.datasets.fetch import fetch

    rows = []
    for name in names:
        row = {"name": name, "status": "at hand", "path": None, "error": None}
        rows.append(row)
        here, info = dataset_available(name), dataset_info(name)
        if not named and not here and not info["public_home"]:
            row["status"] = "no public home"
            continue
        try:
            path = fetch(name, progress=sys.stderr.isatty())
        except DataError as error:
            row |= {"status": "failed", "error": str(error)}
            notice(str(error))
            continue
        row["path"] = None if path is None else str(path)
        if not here:
            row["status"] = "fetched" if dataset_available(name) else "variant"
            notice(f"{name}: {row['status']}")
    failed = any(row["status"] == "failed" for row in rows)
    return Result(rows, table(rows, ("name", "status", "path")), int(failed))


def _verify(names, named):
    from nmfbench.datasets.fetch import verify

    rows = [{"name": name, "status": verify(name)} for name in names]
    bad = {"corrupt", "missing"} if named else {"corrupt"}
    return Result(
        rows, table(rows, ("name", "status")), int(any(row["status"] in bad for row in rows))
    )


_ACTIONS = {"list": _list, "fetch": _fetch, "verify": _verify}
