"""Table of the events that command a drive: the effect of each, its value, and who may send it. A new command is one row of `COMMANDS`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from simulator.assistance.assistance import MAX_SET_SPEED, SYSTEM_NAMES, Assistance
from simulator.base.errors import NOTHING, ConfigError, JounceError
from simulator.base.fields import Anything, Choice, Field, Flag, Group, Number, Text, read
from simulator.base.rates import shown_time
from simulator.base.suggestions import did_you_mean
from simulator.base.units import tidy
from simulator.driver.input_devices.controls import SHIFT_SPEED
from simulator.driver.make_driver import PERSON
from simulator.event_effects.contract import (
    DRIVERS,
    EVERY,
    INJECTORS,
    LOCAL,
    OPERATOR,
    PERSONS,
    SUPERVISORS,
    TUNED_TIME,
    Controlled,
    Effect,
    EventKind,
)
from simulator.event_effects.cueing_controls import PARAMETER, SETS, intensity_text, parameter_text
from simulator.event_effects.signals import SIGNALS
from simulator.events.event import Event, Origin
from simulator.events.questions import CONFIRM
from simulator.platform_supervisor import PARK, RAISE
from simulator.view.camera_names import CAMERA_EVENTS
from simulator.view.user_settings import users_key
from washout.intensity import MOST

REFUSED_TIME = 3.0
"""s for which a refused gear is displayed, unless the vehicle stops before; also other refused commands."""
MESSAGE_TIME = 10.0
"""s for which the end of a stop, and a request of the operator, are displayed."""

MAX_NOTE = 200
"""Maximum letters of a note."""
NOTE = rf"^.{{1,{MAX_NOTE}}}\Z"
MAX_COORDINATE = 1e6
"""m. Largest coordinate of a place."""
MAX_FAULTS = 100
"""Maximum number of faults of a drive that accepts a further one by an event."""
AT_REST = ("off", "parked")
"""States of a platform that is down and rests."""
STOPPED_REASON = "the operator has stopped the platform"


def check(event: Event) -> EventKind:
    """Return the kind of an event that somebody sends.

    Raises
    ------
    ConfigError : there is no such kind, the origin may not send it, or the value is none of the kind; the key is `kind` or `value`
    """
    kind = COMMANDS.get(event.kind)
    if kind is None or event.origin not in kind.origins:
        allowed = [one.name for one in COMMANDS.values() if event.origin in one.origins]
        expected = f"a kind of event that the {event.origin} may send (docs/events.md)"
        raise ConfigError("event", "kind", event.kind, expected + did_you_mean(event.kind, allowed))
    if event.value is None and (kind.value is None or kind.toggles):
        return kind
    if kind.value is None:
        raise ConfigError("event", "value", event.value, f"no value, because {event.kind} has none")
    if event.value is None:
        raise ConfigError("event", "value", NOTHING, kind.value.description())
    kind.value.read(event.value, "event", "value")
    return kind


def check_recorded(event: Event, file: object) -> None:
    """Check the value of a recorded command before its effect is repeated; `file` is the file of the events. Raises ConfigError."""
    kind = COMMANDS[event.kind]
    # an order for a platform that had not joined is recorded with its result
    if kind.value is None or (event.value is None and kind.toggles) or (event.kind == "platform" and isinstance(event.value, str)):
        return
    place = f"{event.kind} at tick {event.tick}"
    if event.value is None:
        raise ConfigError(file, place, NOTHING, kind.value.description())
    kind.value.read(event.value, file, place)


def _quit(drive: Controlled, reason: str | None) -> Effect:
    drive.quit()
    return Effect("quit", reason)


def _next_run(drive: Controlled, value: Any) -> Effect:
    _need_no_stop(drive, "next_run", value)  # the next drive would begin with the platform at rest
    return Effect("next_run", drive.start_next(value))


def _end_question(drive: Controlled, _: Any) -> str:
    state = drive.session.platform_state
    if state in AT_REST or drive.session.platform_stopped:
        return ""
    return f"the platform is up ({state}): the drive ends, the platform parks, and the next run begins"


def _pause(drive: Controlled, paused: bool | None) -> Effect:
    paused = not drive.session.paused if paused is None else paused
    if not paused:
        _need_no_stop(drive, "pause", paused)
    drive.session.paused = paused
    drive.show("")  # the view displays the pause
    return Effect("pause", paused)


def _replay(drive: Controlled, _: None) -> Effect:
    drive.session.paused = True
    drive.show_last_seconds()
    return Effect("pause", True)


def _reset(drive: Controlled, _: None) -> Effect:
    drive.restart()
    drive.show("")
    return Effect("reset")


def _set_upright(drive: Controlled, _: None) -> Effect:
    drive.session.set_upright()
    drive.show("")
    return Effect("upright")


def _place(drive: Controlled, given: Any) -> Effect:
    values = read(PLACE, given, "event", "place")
    if values.get("heading") is None:
        given = {**given, "heading_deg": tidy(math.degrees(drive.session.recovery.heading))}
        values = read(PLACE, given, "event", "place")
    drive.session.place(float(values["x"]), float(values["y"]), values["heading"])
    drive.show("")
    return Effect("place", dict(given))


def _request_raise(drive: Controlled, _: None) -> Effect:
    drive.show("the operator asks to raise the platform: M raises it, when you are ready", MESSAGE_TIME)
    return Effect("request_raise")


def _note(_: Controlled, text: str) -> Effect:
    return Effect("note", text)


def _driver(drive: Controlled, name: str | None) -> Effect:
    seat = drive.session.seat
    if name is None:
        name = seat.name if seat.offered else seat.other
    return Effect("driver" if drive.hand_over(name) else "driver_asked", name)


def _take_over(drive: Controlled, _: None) -> Effect:
    drive.take_over()
    return Effect("driver", PERSON)


def _note_asked(drive: Controlled, name: str) -> Effect:
    return Effect("driver_asked", name)


def _platform(drive: Controlled, order: str | None) -> Effect:
    if order != PARK:
        _need_no_stop(drive, "platform", order)
    return Effect("platform", drive.command_platform(order))


def _park(drive: Controlled, _: None) -> Effect:
    return _platform(drive, PARK)


def _stop(drive: Controlled, _: None) -> Effect:
    drive.command_platform(PARK)  # it needs a new order to rise
    drive.session.paused = drive.session.platform_stopped = True
    drive.show(STOPPED_REASON, math.inf, lambda session: session.platform_stopped)
    return Effect("stop")


def _acknowledge(drive: Controlled, _: None) -> Effect:
    if not drive.session.platform_stopped:
        raise ConfigError("event", "acknowledge", NOTHING, "a stop of the platform before it")
    drive.session.platform_stopped = False
    drive.session.cueing.reset()  # it parks from its present pose, not from the pose that the washout requested last
    drive.show(f"the platform parks; {users_key('pause')}: continue, {users_key('platform')}: raise the platform", MESSAGE_TIME)
    return Effect("acknowledge")


def _need_no_stop(drive: Controlled, kind: str, value: Any) -> None:
    """Check that the platform is not stopped. Raises ConfigError."""
    if drive.session.platform_stopped:
        raise ConfigError("event", kind, value, f"an acknowledgment before it, because {STOPPED_REASON}")


def _intensity(drive: Controlled, value: float) -> Effect:
    tuner = drive.session.cueing.tuner
    tuner.intensity = value
    drive.show(intensity_text(tuner), TUNED_TIME)
    return Effect("intensity", value)


def _step_intensity(steps: int) -> Callable[[Controlled, None], Effect]:
    return lambda drive, _: _intensity(drive, drive.cueing.intensity_after(steps))


def _washout_parameter(drive: Controlled, given: Any) -> Effect:
    tuner = drive.session.cueing.tuner
    one, value = drive.cueing.read(given)
    tuner.change(one, value)
    drive.show(parameter_text(tuner, one), TUNED_TIME)
    return Effect("washout_parameter", {"name": one.key, "index": one.index, "value": one.shown(value)})


def _select_parameter(drive: Controlled, _: None) -> Effect:
    drive.cueing.select_next()
    drive.show(drive.cueing.text, TUNED_TIME)
    return Effect("washout_next")


def _step_parameter(steps: int) -> Callable[[Controlled, None], Effect]:
    def act(drive: Controlled, _: None) -> Effect:
        if drive.cueing.parameter is None:
            return _select_parameter(drive, None)
        return _washout_parameter(drive, drive.cueing.given_after(steps))

    return act


def _step_question(steps: int) -> Callable[[Controlled, None], str]:
    return lambda drive, _: "" if drive.cueing.parameter is None else drive.cueing.parameter_question(drive.cueing.given_after(steps))


def _washout_set(drive: Controlled, name: str | None) -> Effect:
    name = drive.cueing.switch(name)
    drive.show(f"motion cueing: set {name}", TUNED_TIME)
    return Effect("washout_set", name)


def _save_washout(drive: Controlled, _: None) -> Effect:
    drive.save_washout()
    return Effect("save_washout")


def _confirm(_: Controlled, number: int) -> Effect:
    raise ConfigError("event", CONFIRM, number, "the number of a question that was asked some seconds ago")


def _add_fault(drive: Controlled, given: Any) -> Effect:
    session = drive.session
    entry = {"type": given} if isinstance(given, str) else given
    if not isinstance(entry, Mapping) or session.injector.make is None or len(session.injector.faults) >= MAX_FAULTS:
        raise ConfigError("event", "add_fault", given, f"{FAULT.description()}, in a drive with less than {MAX_FAULTS} faults")
    if not any(key == "phase" or str(key).partition("_")[0] == "start" for key in entry):
        entry = {**entry, "start_s": shown_time(session.time)}
    planned = session.injector.make([entry], session.injector.faults)
    try:
        session.injector.add(planned, session.time if session.tick > 0 else 0.0, until_reset=True)
    except JounceError as error:
        raise ConfigError("event", "add_fault", given, f"a fault that can be added now ({error})") from None
    return Effect("add_fault", planned[0].to_json())


def _end_fault(drive: Controlled, name: str) -> Effect:
    drive.session.injector.end(name, drive.session.time)
    return Effect("end_fault", name)


def _assistance(drive: Controlled) -> Assistance:
    """Return the driver assistance. Raises ConfigError: the vehicle has none."""
    if drive.session.assistance is None:
        raise ConfigError("event", "assistance", NOTHING, "a session with the section `assistance`")
    return drive.session.assistance


def _switch_system(name: str) -> Callable[[Controlled, bool | None], Effect]:
    def act(drive: Controlled, on: bool | None) -> Effect:
        on = _assistance(drive).switch(name, on)
        drive.show(f"{SYSTEM_NAMES[name]} {'on' if on else 'off'}", TUNED_TIME)
        return Effect(name, on)

    return act


def _set_speed(drive: Controlled, given: Any) -> Effect:
    speed = read(SET_SPEED, given, "event", "set_speed")["speed"]
    _assistance(drive).set_speed(speed)
    drive.show(f"set speed {3.6 * speed:.0f} km/h", TUNED_TIME)
    return Effect("set_speed", given)


def _step_set_speed(steps: int) -> Callable[[Controlled, None], Effect]:
    return lambda drive, _: _set_speed(drive, {"speed_mps": _assistance(drive).stepped_speed(steps)})


def _time_gap(drive: Controlled, seconds: float) -> Effect:
    _assistance(drive).need("acc").time_gap = seconds
    drive.show(f"time gap {seconds:.1f} s", TUNED_TIME)
    return Effect("time_gap", seconds)


def _show_camera(name: str) -> Callable[[Controlled, None], Effect]:
    return lambda drive, _: Effect(name)  # the window has changed its camera itself


def _refuse_gear(drive: Controlled, _: None) -> Effect:
    drive.show("stop before shifting", REFUSED_TIME, lambda session: abs(session.readout[0]["v_WB_B"][0]) > SHIFT_SPEED)
    return Effect("shift_refused")


def _wait_over(drive: Controlled, ticks: int) -> Effect:
    return Effect("wait_over", ticks)


PLACE = (
    Field("x", Number("m", -MAX_COORDINATE, MAX_COORDINATE), "position, in the world"),
    Field("y", Number("m", -MAX_COORDINATE, MAX_COORDINATE), "position, in the world"),
    Field("heading", Number("rad", -math.tau, math.tau), "heading, + = left of the x axis; default: the present one", None, written="deg"),
)
"""Keys of the value of `place`."""
SET_SPEED = (Field("speed", Number("m/s", 0.0, MAX_SET_SPEED), "set speed", written="kph"),)
"""Keys of the value of `set_speed`."""
FAULT = Anything("the type of a fault, or a mapping as in the list faults of a session file (docs/faults.md)")
NEXT = Anything("a mapping of vehicle, terrain, maneuver, driver and weather, for the next run")
_NAME = Text("the name of a driver of this drive")
_ORDER = Choice((RAISE, PARK))

COMMANDS: dict[str, EventKind] = {
    kind.name: kind
    for kind in (
        # name, effect, origins, meaning, type of the value, may come without it
        EventKind("quit", _quit, EVERY, "end the drive; the value is the reason", Text("a reason"), toggles=True),
        EventKind(
            "next_run", _next_run, OPERATOR, "end the drive, and begin another one with a changed session", NEXT, question=_end_question
        ),
        EventKind("pause", _pause, SUPERVISORS | {Origin.DRIVE}, "pause (true) or continue (false)", Flag(), toggles=True),
        EventKind("last_seconds", _replay, LOCAL, "pause, and show the last 30 s in the window, or end that replay"),
        EventKind("reset", _reset, DRIVERS, "restart the drive"),
        EventKind("upright", _set_upright, DRIVERS, "put the vehicle on its wheels"),
        EventKind("place", _place, OPERATOR, "put the vehicle at rest at another place, if there is room", Group(PLACE)),
        EventKind("request_raise", _request_raise, OPERATOR, "ask the driver to raise the platform; moves nothing"),
        EventKind("note", _note, OPERATOR, "write a text into the list of events", Text(f"a text of at most {MAX_NOTE} letters", NOTE)),
        EventKind("add_fault", _add_fault, INJECTORS, "add a fault until the next restart, from now on unless it has a start", FAULT),
        EventKind("end_fault", _end_fault, INJECTORS, "end a fault, which falls with its ramp", Text("the name of a fault")),
        EventKind(
            "driver", _driver, SUPERVISORS, "let another driver of the drive take over; a person does when a control moves", _NAME, True
        ),
        *(
            EventKind(name, _switch_system(name), DRIVERS, f"turn the {words} on (true) or off (false)", Flag(), toggles=True)
            for name, words in SYSTEM_NAMES.items()
        ),
        EventKind("set_speed", _set_speed, DRIVERS, "set the speed of cruise control or speed limiter", Group(SET_SPEED)),
        EventKind("set_speed_up", _step_set_speed(1), LOCAL, "increase this speed to the next multiple of 5 km/h"),
        EventKind("set_speed_down", _step_set_speed(-1), LOCAL, "decrease this speed to the next multiple of 5 km/h"),
        EventKind("time_gap", _time_gap, DRIVERS, "set the time gap of the cruise control", Number("s", 0.8, 5.0)),
        EventKind("take_over", _take_over, PERSONS, "the person takes over now"),
        EventKind("driver_asked", _note_asked, frozenset({Origin.DRIVE}), "the person has been asked to take over", _NAME),
        EventKind("platform", _platform, LOCAL | {Origin.DRIVE}, "raise or park the motion platform", _ORDER, toggles=True),
        EventKind("park", _park, SUPERVISORS, "park the motion platform"),
        EventKind("stop", _stop, OPERATOR, "stop the platform at its pose until `acknowledge`, and pause"),
        EventKind("acknowledge", _acknowledge, OPERATOR, "end the stop: the platform parks"),
        EventKind(
            "intensity",
            _intensity,
            SUPERVISORS,
            "set the scale of the washout input",
            Number("1", 0.0, MOST),
            question=lambda drive, value: drive.cueing.intensity_question(value),
        ),
        EventKind(
            "intensity_up",
            _step_intensity(1),
            LOCAL,
            "increase the intensity",
            question=lambda drive, _: drive.cueing.intensity_question(drive.cueing.intensity_after(1)),
        ),
        EventKind("intensity_down", _step_intensity(-1), LOCAL, "decrease the intensity"),
        EventKind(
            "washout_parameter",
            _washout_parameter,
            SUPERVISORS,
            "set a parameter of the washout",
            PARAMETER,
            question=lambda drive, given: drive.cueing.parameter_question(given),
        ),
        EventKind("washout_next", _select_parameter, LOCAL, "select the next parameter of the washout"),
        EventKind("washout_up", _step_parameter(1), LOCAL, "increase the selected parameter", question=_step_question(1)),
        EventKind("washout_down", _step_parameter(-1), LOCAL, "decrease the selected parameter", question=_step_question(-1)),
        EventKind("washout_set", _washout_set, SUPERVISORS, "activate the other set of values of the motion cueing", Choice(SETS), True),
        EventKind("save_washout", _save_washout, OPERATOR, "write the washout with its present parameters into a file"),
        EventKind(CONFIRM, _confirm, frozenset({Origin.CONSOLE}), "confirm a question; the value is its number", Number("1", whole=True)),
        *SIGNALS,
        *(EventKind(name, _show_camera(name), PERSONS, "change the camera") for name in CAMERA_EVENTS),
        EventKind("shift_refused", _refuse_gear, PERSONS, "show that the selector does not move while driving"),
        EventKind(
            "wait_over",
            _wait_over,
            frozenset({Origin.DRIVE}),
            "the drive begins after this number of ticks of rise",
            Number("1", whole=True),
        ),
    )
}
"""Kinds by name. A step or a switch-over is recorded as the value that it led to (intensity_up as intensity), so that a rerun needs no more."""
