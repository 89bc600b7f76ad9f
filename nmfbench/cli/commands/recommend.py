"""``nmfbench recommend``: rank, loss and solver for a matrix of one's own."""

from __future__ import annotations

from nmfbench.cli import options


def add(commands):
    sub = options.add_command(
        commands,
        "recommend",
        "recommend:recommend",
        "rank, loss and solver for a matrix of your own",
        "They are chosen by entries that are held out; one page shows the evidence. Ctrl-C ends it "
        "with what is done.",
    )
    sub.add_argument(
        "data",
        metavar="FILE",
        help="a file or folder (.csv, .npz, .mtx, .parquet, .mat, .h5ad, pictures, ...); rows are "
        "samples",
    )
    options.reading(sub)
    rank = options.positive(int)
    sub.add_argument("--rank", type=rank, metavar="R", help="to fit (what held-out entries say)")
    options.budget(sub, "time to take, such as 90s, 5m or 1h (5m)")
    sub.set_defaults(budget=300.0)
    sub.add_argument("--seed", type=int, default=0, metavar="N", help="of all that is random (0)")
    options.output(sub, "recommendation", "folder of the page and of model.npz")
    options.print_json(sub)
