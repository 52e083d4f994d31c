"""Does every public call refuse arguments of a wrong type in one sentence, as an error of Jounce?"""

from __future__ import annotations

import pytest

import jounce

WRONG = ("a\nb", None, [1], {"a": 1}, ["a=1"], object(), float("nan"), b"x", -1, 1j, 10**400, True)
UP, DOWN = [0.0, 0.0, 5.0], [0.0, 0.0, -1.0]
NO_NUMBER = ("1", None, [1], {"a": 1}, object(), b"x", 1j, 10**400)


def name_of(value: object) -> str:
    """Return a short name of a value, the same in each process."""
    return "object" if type(value) is object else repr(value)[:20]


@pytest.fixture(scope="module")
def sim():
    one = jounce.Simulation("hmmwv", "flat", platform=None)
    one.advance(0.05)
    return one


def refused(call, value, may_work=False):
    """Call with a value; it must raise a JounceError of one line, unless the value is one that the call takes."""
    try:
        call(value)
    except jounce.JounceError as error:
        assert str(error).strip() and "\n" not in str(error).strip().split(": ")[0]
    else:
        assert may_work, value


@pytest.mark.parametrize("wrong", NO_NUMBER, ids=name_of)
def test_numbers(sim, wrong):
    for call in (
        sim.advance,
        lambda value: sim.command(throttle=value),
        sim.remove_object,
        sim.object_position,
        sim.object_rotation,
        lambda value: jounce.run_mechanism("four_bar", value),
        lambda value: jounce.run_mechanism("four_bar", 0.01, value),
        lambda value: jounce.Simulation(log_rate=value),
        lambda value: jounce.truth_map(sim.ground, value, (10.0, 10.0)),
        lambda value: jounce.truth_map(sim.ground, (0.0, 0.0), value),
        lambda value: sim.vehicle.reset(sim.ground, value),
    ):
        refused(call, wrong)
    refused(lambda value: jounce.run_batch([], value), wrong, may_work=wrong == 10**400)  # no more processes than cases are started
    with pytest.raises((TypeError, ValueError)):
        sim.advance(wrong)


@pytest.mark.parametrize("wrong", ["x", ["a"], {"a": 1}, object(), b"x", 1j, 10**400], ids=name_of)
def test_arrays(sim, wrong):
    for call in (
        lambda value: sim.cast(value, DOWN, 10.0),
        lambda value: sim.cast(UP, value, 10.0),
        lambda value: sim.cast(UP, DOWN, value),
        lambda value: sim.cast(UP, DOWN, 10.0, value),
        lambda value: jounce.RayCaster(sim.ground).cast(value, DOWN, 10.0),
        lambda value: jounce.sweep_mechanism("four_bar", "crank on ground", value),
        lambda value: sim.ground.height(value, 0.0),
        lambda value: sim.ground.normal(0.0, value),
        lambda value: sim.ground.soil(value, value),
    ):
        refused(call, wrong)


@pytest.mark.parametrize("wrong", WRONG, ids=name_of)
def test_names_mappings_and_lists(sim, wrong, tmp_path):
    log = sim.log
    for call in (
        lambda value: sim[value],
        sim.read,
        lambda value: log[value],
        log.field,
        log.select,
        lambda value: log.plot("time", along=value),
        lambda value: sim.on_measurement(value, print),
        sim.fault,
        sim.add_object,
        jounce.RayCaster,
        sim.vehicle.reset,
        sim.ground.road,
        jounce.run_batch([]).column,
        lambda value: jounce.run_sweep(value, [{"maneuver": "nosuch"}], tmp_path / "sweep"),
        lambda value: jounce.run_sweep({"maneuver": "nosuch"}, value or [1], tmp_path / "sweep"),
        lambda value: jounce.run_mechanism("four_bar", 0.01, formulation=value),
        lambda value: jounce.sweep_mechanism("four_bar", value, [1.0]),
        jounce.load_plugins,
        jounce.check_plugin,
        jounce.load_vehicle,
        jounce.load_ground,
        jounce.read_log,
        jounce.simulate,
    ):
        refused(call, wrong)
    refused(lambda value: jounce.run_batch([value]), wrong, may_work=isinstance(wrong, str))  # an unknown name is a row with a failure
    for key in ("vehicle", "terrain", "maneuver", "session", "washout", "platform", "driver", "sensors", "changes", "channels"):
        if wrong is not None or key == "channels":
            refused(lambda value, key=key: jounce.Simulation(**{key: value}), wrong)
    for key in ("to", "vehicle", "protocol", "rate", "duration", "changes", "out", "say"):
        refused(lambda value, key=key: jounce.stream("nosuch", **{"to": "127.0.0.1:9", key: value}), wrong)


def test_the_message_names_function_argument_and_value(sim):
    with pytest.raises(jounce.ConfigError, match=r"^advance: seconds: invalid value; expected a number; got '1'$"):
        sim.advance("1")
    with pytest.raises(
        jounce.ConfigError, match=r"^Simulation: changes: invalid value; expected a mapping of keys to values, or None; got \['a=1'\]$"
    ):
        jounce.Simulation(changes=["a=1"])
    with pytest.raises(jounce.JounceError, match=r"^origins: 'up'; expected numbers$"):
        sim.cast("up", DOWN, 10.0)
    with pytest.raises(jounce.ConfigError, match=r"^command: throttle: invalid value; expected a number from 0 to 1; got '1'$"):
        sim.command(throttle="1")


def test_a_case_with_an_unknown_name_is_a_row_with_one_line():
    (row,) = jounce.run_batch(["a\nb"])
    assert row.failure and "\n" not in row.failure
    assert row.passed is None


class WithRead:
    """Driver with the method of the contract."""

    def read(self, t, readout, command):
        command[0]["throttle"] = 0.1


def test_a_driver_is_a_name_a_function_or_an_object_that_reads():
    for wrong in (WithRead, {"read": 1}, [WithRead()], 3):
        with pytest.raises(
            jounce.ConfigError, match=r"^Simulation: driver: invalid value; expected a name, a function, or an object with read"
        ):
            jounce.Simulation("hmmwv", "flat", platform=None, driver=wrong)
    for good in (WithRead(), lambda t, readout: {"throttle": 0.1}):
        one = jounce.Simulation("hmmwv", "flat", platform=None, driver=good)
        one.advance(0.05)
        assert one["throttle"] == pytest.approx(0.1)
