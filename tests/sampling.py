"""A sample of cases that changes from day to day: the seed is the number of the day, printed at the begin of the tests.

`JOUNCE_TEST_SEED=N make test` repeats a sample; `make test-all` runs all cases.
"""

from __future__ import annotations

import os
import random
import time

VARIABLE = "JOUNCE_TEST_SEED"


def provide_seed() -> str:
    """Set the seed for this process and its children unless the user has set it, and return it."""
    return os.environ.setdefault(VARIABLE, str(int(time.time() // 86400)))


def random_numbers(purpose: str) -> random.Random:
    """Random numbers of the seed for one test."""
    return random.Random(f"{provide_seed()} {purpose}")
