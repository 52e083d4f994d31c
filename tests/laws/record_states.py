"""Record the end states of the drives of `state_drives` again, after an intended change: `python -m tests.laws.record_states`.

State the change and its size in the commit message; this script prints them. On a platform without a record it adds the hashes of this
platform. If the states changed, it removes the hashes of all other platforms, which then compare the numbers.
"""

from __future__ import annotations

import json

from tests.laws.state_drives import DRIVES, ELSEWHERE, FILE, difference, end_state, hash_of, this_platform


def main() -> None:
    """Write the file and print the changes."""
    recorded = json.loads(FILE.read_text()) if FILE.exists() else {"states": {}, "hashes": {}}
    states = {name: end_state(name) for name in DRIVES}
    changes = {name: difference(state, recorded["states"].get(name, {})) for name, state in states.items()}
    for name, change in changes.items():
        print(f"{name}: changed by {change:.2g}")
    hashes = {name: hash_of(state) for name, state in states.items()}
    if this_platform() not in recorded["hashes"] and max(changes.values()) <= ELSEWHERE:
        recorded["hashes"][this_platform()] = hashes  # a new platform with equal states
    elif recorded["hashes"].get(this_platform()) != hashes:
        recorded = {"states": states, "hashes": {this_platform(): hashes}}
    FILE.write_text(json.dumps(recorded, indent=1) + "\n")


if __name__ == "__main__":
    main()
