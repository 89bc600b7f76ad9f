"""``nmfbench claims``: the verdict of the records on each claim of the papers."""

from __future__ import annotations

from nmfbench.cli import options


def add(commands):
    sub = options.add_command(
        commands, "claims", "claims:claims", "what the records say of each claim of the papers"
    )
    options.targets(sub)
    options.judged_profile(sub)
    options.store(sub)
    options.print_json(sub)
    sub.add_argument(
        "--sentences",
        action="store_true",
        help="the outcome of each sentence of the papers, by the verdicts on its tests",
    )
    sub.add_argument(
        "--numbers",
        action="store_true",
        help="each number that the papers print beside ours, and whether they agree",
    )
    sub.add_argument(
        "--findings",
        action="store_true",
        help="the effects that say most of each paper, as a table in Markdown",
    )
    sub.add_argument(
        "--published",
        action="store_true",
        help="as published with this release, instead of by a store of your own",
    )
    sub.add_argument(
        "--release",
        metavar="FILE",
        help="also keep the verdicts, as a release's, for later reports to compare with",
    )
    sub.add_argument(
        "--other",
        metavar="DIR",
        help="a store of the same grid under another numerical target: say instead which verdicts "
        "hang on rounding, and keep it beside the store for reports (quick, unless --profile)",
    )
