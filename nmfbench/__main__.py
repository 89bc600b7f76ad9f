"""``python -m nmfbench``: the same as the command ``nmfbench``."""

import sys

from nmfbench.cli import main

if __name__ == "__main__":
    sys.exit(main())
