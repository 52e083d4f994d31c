"""`python -m research`: the commands of the studies, in a checkout."""

import sys

from simulator.base import signals

if __name__ == "__main__":
    signals.install()
    from research.command import main

    sys.exit(main())
