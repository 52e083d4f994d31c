"""Is a section of a file read once as long as its content stays the same?"""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
import pytest

from simulator.base import section_cache
from simulator.base.errors import ConfigError
from simulator.base.fields import Field, Flag, Group, Number, Variants, read
from simulator.base.memoize import MAX_ENTRIES, memoize_by_identity
from simulator.base.section_cache import SectionCache, sections_read_once
from simulator.sensors.kinds import SENSOR_FILE
from vehicles.controllers.controller_section import CONTROLLER_FILE
from vehicles.steering.steering_section import STEERING_FILE
from vehicles.tires.tire_file import FILE_TABLE as TIRE_FILE
from vehicles.vehicle_file import AXLE
from washout.cueing import FILE as WASHOUT_FILE

INSIDE = (Field("rate", Number("N/m", 0.0, 1e6), "stiffness"), Field("preload", Number("N"), "at rest", 5.0))
TABLE = (
    Field("spring", Group(INSIDE), "the spring"),
    Field("at", Number("m", shape=(3,)), "place", None),
    Field("on", Flag(), "used", True),
)


def test_an_unchanged_section_is_read_once() -> None:
    known = SectionCache(msgspec.msgpack.encode)
    with sections_read_once(known):
        first, second = (read(TABLE, {"spring": {"rate": 3.0}, "at": [0, 0, z]}, "a.yaml") for z in (1, 2))
        other = read(INSIDE, {"rate": 3.0}, "b.yaml", "spring")
    assert first["spring"] is second["spring"] is not other == first["spring"] and other["preload"] == 5.0
    assert (other.file, other.key) == ("b.yaml", "spring"), "messages name the file"
    assert first["at"].tolist() == [0.0, 0.0, 1.0] and second["at"].tolist() == [0.0, 0.0, 2.0]
    assert read(INSIDE, {"rate": 3.0}, "a.yaml") is not other, "without the cache"
    with sections_read_once(known):
        assert read(INSIDE, {"rate": 3.0}, "b.yaml", "spring") is other
        assert read(INSIDE, {"rate": 3.0}, "a.yaml", fill=False) is not other, "without defaults"
        assert len(known.entries) < 10
        for n in range(section_cache.MAX_SECTIONS + 5):
            read(INSIDE, {"rate": float(n)}, "a.yaml")
        assert len(known.entries) <= section_cache.MAX_SECTIONS


@pytest.mark.parametrize("value", [True, "3.0", None, [3.0], 10**40, "\udcff"])
def test_a_similar_but_invalid_section_is_refused_with_its_file(value: Any) -> None:
    with sections_read_once(SectionCache(msgspec.msgpack.encode)):
        read(INSIDE, {"rate": 1.0}, "a.yaml")
        read(INSIDE, {"rate": 3.0}, "a.yaml")
        for file in ("b.yaml", "c.yaml"):
            with pytest.raises(ConfigError) as caught:
                read(TABLE, {"spring": {"rate": value}}, file)
            assert (str(caught.value.file), caught.value.key) == (file, "spring.rate")


def test_other_than_plain_data_is_read_each_time() -> None:
    with sections_read_once(SectionCache(msgspec.msgpack.encode)):
        one, other = (read(TABLE, {"spring": {"rate": 3.0}, "at": np.array([x, 0.0, 0.0])}, "a.yaml") for x in (1.0, 2.0))
    assert one["at"][0] == 1.0 and other["at"][0] == 2.0


def test_the_fields_of_a_variant_keep_their_identity_until_the_table_changes() -> None:
    tables = {"soft": INSIDE}
    kind = Variants("type", lambda name: tables[name], ("soft",), "which one")
    first = kind.fields("soft")
    assert kind.fields("soft") is first
    tables["soft"] = INSIDE[:1]
    assert [field.name for field in kind.fields("soft") or ()] == ["type", "rate"]


@pytest.mark.parametrize("kind", [WASHOUT_FILE, TIRE_FILE, CONTROLLER_FILE, STEERING_FILE, AXLE, SENSOR_FILE])
def test_the_fields_of_registered_kinds_keep_their_identity(kind: Variants) -> None:
    for name in kind.choice().names():
        assert kind.fields(name) is kind.fields(name)


def test_the_number_of_memoized_results_is_limited() -> None:
    calls = []

    @memoize_by_identity
    def length(argument: list[int]) -> int:
        calls.append(argument)
        return len(argument)

    one = [1, 2]
    assert length(one) == length(one) == 2 and len(calls) == 1
    assert all(length([0] * n) == n for n in range(MAX_ENTRIES + 5)), "new lists at the addresses of deleted lists"
    assert length(one) == 2 and len([call for call in calls if call is one]) == 2, "removed with the other results"
