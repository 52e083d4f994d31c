"""`python -m simulator`: the command line."""

import sys

from simulator.cli.entry_point import main

if __name__ == "__main__":
    sys.exit(main())
