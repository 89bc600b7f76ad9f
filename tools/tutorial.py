"""Execute the tutorial into the published report: ``python -m tools.tutorial reports``."""

from __future__ import annotations

import sys
from pathlib import Path

from nmfbench.reports.tutorial import write_tutorial

if __name__ == "__main__":
    (output,) = sys.argv[1:]
    print(*write_tutorial(Path(output)), sep="\n")
