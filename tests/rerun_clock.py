"""Run the failed tests by the clock once more, alone: `make test` does it after a run in which nothing else failed.

Such a test takes part in real time, so another process of the machine can disturb it. A second failure counts. No other test is repeated.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.conftest import BY_THE_CLOCK, CLOCK_GROUP, FAILED

ROOT = Path(__file__).resolve().parents[1]


def repeatable(failed: list[str]) -> list[str]:
    """Return the failed tests if all of them run by the clock; else none. pytest-xdist appends the group to the name of a test."""
    tests = [test.removesuffix(f"@{CLOCK_GROUP}") for test in failed]
    return tests if all(Path(test.partition("::")[0]).name in BY_THE_CLOCK for test in tests) else []


def main() -> int:
    """Return the exit code of the second run; 1 without one."""
    file = ROOT / ".pytest_cache" / "v" / FAILED
    tests = repeatable(json.loads(file.read_text(encoding="utf-8"))) if file.is_file() else []
    if not tests:
        return 1
    print(f"only tests by the clock failed; once more, alone: {', '.join(tests)}", flush=True)
    return subprocess.run([sys.executable, "-m", "pytest", "-q", "-n", "0", "-m", "", *tests], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
