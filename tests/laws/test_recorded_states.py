"""Do short drives end in the recorded states? After an intended change: `python -m tests.laws.record_states`."""

from __future__ import annotations

import json

import pytest

from tests.laws.state_drives import DRIVES, ELSEWHERE, FILE, difference, end_state, hash_of, this_platform

RECORDED = json.loads(FILE.read_text())


@pytest.mark.parametrize("name", DRIVES)
def test_a_drive_ends_where_it_did(name: str) -> None:
    state = end_state(name)
    changed = difference(state, RECORDED["states"][name])
    hashes = RECORDED["hashes"].get(this_platform())
    if hashes is None:
        assert changed <= ELSEWHERE
    else:
        assert hash_of(state) == hashes[name], f"changed by {changed:.2g}; if that is meant: python -m tests.laws.record_states"
