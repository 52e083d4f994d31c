"""Record anew where the drives of `state_drives` end, after a change that is meant to change it: `python -m tests.laws.record_states`.

Say in the commit what changed, and by how much; this prints it. On a platform that is not recorded it adds the hashes of that one; where
the states changed it forgets those of all others, which compare the numbers then.
"""

from __future__ import annotations

import json

from tests.laws.state_drives import DRIVES, ELSEWHERE, FILE, difference, end_state, hash_of, this_platform


def main() -> None:
    """Write the file and print what changed."""
    recorded = json.loads(FILE.read_text()) if FILE.exists() else {"states": {}, "hashes": {}}
    states = {name: end_state(name) for name in DRIVES}
    changes = {name: difference(state, recorded["states"].get(name, {})) for name, state in states.items()}
    for name, change in changes.items():
        print(f"{name}: changed by {change:.2g}")
    hashes = {name: hash_of(state) for name, state in states.items()}
    if this_platform() not in recorded["hashes"] and max(changes.values()) <= ELSEWHERE:
        recorded["hashes"][this_platform()] = hashes  # another platform, the same states
    elif recorded["hashes"].get(this_platform()) != hashes:
        recorded = {"states": states, "hashes": {this_platform(): hashes}}
    FILE.write_text(json.dumps(recorded, indent=1) + "\n")


if __name__ == "__main__":
    main()
