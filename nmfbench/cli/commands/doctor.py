"""``nmfbench doctor``: installed packages, data at hand, and how to get what is missing."""

from __future__ import annotations

from nmfbench.cli import options
from nmfbench.cli.output import Result, counted, table


def add(commands):
    sub = options.add_command(
        commands,
        "doctor",
        run,
        "what is installed and at hand, what is missing, and how to get it",
    )
    options.store(sub)
    sub.add_argument(
        "--repair",
        action="store_true",
        help="set damaged records aside, so that the rest can be used",
    )
    options.print_json(sub)


def run(args) -> Result:
    from nmfbench.cli.doctor import diagnose, diagnose_data
    from nmfbench.datasets.base import dataset_info

    repaired = _repair(args.store) if args.repair else None
    findings, sets = diagnose(args.store), diagnose_data()
    usable = all(finding.state != "broken" for finding in findings)
    rows = [finding.to_dict() for finding in findings]
    here = [f.topic for f in sets if f.state == "ok"]
    public = [f.topic for f in sets if f.state != "ok" and dataset_info(f.topic)["public_home"]]
    private = [f.topic for f in sets if f.state != "ok" and f.topic not in public]
    paragraphs = {
        "Data at hand": here,
        "Missing data that 'nmfbench data fetch NAME' gets": public,
        "Missing data without a public home (their prepared files go into the folder that "
        "NMFBENCH_DATA names; 'nmfbench doctor --json' has the names of the files)": private,
        "What would help": [f"{f.topic}: {f.remedy}" for f in findings if f.remedy],
    }
    text = [
        *([repaired.text] if repaired else []),
        table(rows, ("state", "topic", "detail")),
        *(f"{head}: {', '.join(names)}." for head, names in paragraphs.items() if names),
        "The suite can be used." if usable else "The suite cannot be used: see what is broken.",
    ]
    data = {"usable": usable, "findings": rows, "data": [finding.to_dict() for finding in sets]}
    if repaired:
        data["repair"] = repaired.data
    return Result(data, "\n\n".join(text), int(not usable))


def _repair(folder) -> Result:
    """Repair a store; what was done."""
    from nmfbench.records.repair import repair

    found = repair(folder)
    lost = [{"key": damage.key, "what": damage.what, **damage.trial} for damage in found.damaged]
    aside = found.aside and str(found.aside)
    data = {"records": found.records, "set_aside": lost, "audits": found.audits, "file": aside}
    if found.is_whole:
        return Result(data, f"Nothing is damaged in {folder}.")
    lines = [
        f"Kept {counted(found.records, 'record')}; damaged were {len(lost)} and "
        f"{counted(found.audits, 'audit')}. The file as it was is {aside}: delete it once it is "
        "not needed.",
        *(
            f"    {row['key']}: {row['what']} ({row['task']}, {row['dataset']}, {row['solver']})"
            for row in lost
        ),
    ]
    if lost:
        lines.append(
            "'nmfbench run' computes these again where its targets ask for them; 'nmfbench import' "
            "takes those over again that came from a file."
        )
    return Result(data, "\n".join(lines))
