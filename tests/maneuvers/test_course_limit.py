"""Does a failed course say whether the car or the driver was the limit?"""

from __future__ import annotations

import pytest

from simulator.api.loading import configured
from simulator.run.run import run_maneuver

CASES = {
    "the car was the limit": {"maneuver.parameters.speed_kph": 40, "terrain.surface": "ice"},
    "the driver model was the limit": {
        "maneuver.parameters.speed_kph": 35,
        "maneuver.driver": {"type": "course_following", "preview_s": 2.0},
    },
}


@pytest.mark.parametrize("words", CASES)
def test_a_failed_course_names_its_limit(words, tmp_path):
    names = {"maneuver": "iso_3888_2", "terrain": "flat"}
    result = run_maneuver(configured(names, CASES[words]), tmp_path, say=lambda line: None, pictures=False)["result"]
    assert result["metrics"]["course_clean"] == 0.0 and result["course_limit"].startswith(words)
