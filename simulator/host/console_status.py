"""State of the parts of a drive for the pages of its console: processes, streams, sensors, faults, driver, parameters of the washout."""

from __future__ import annotations

from typing import Any

from simulator.event_effects.cueing_controls import CueingControls
from simulator.faults.planned_fault import PlannedFault
from simulator.host.console_setup import moved_objects
from simulator.host.drive_streams import DriveStreams
from simulator.host.drive_view import DriveView
from simulator.outlets.outlet_runner import OutletRunner
from simulator.session import Session

GOOD, STARTS, BAD = "good", "starts", "bad"


def status_of(session: Session, cueing: CueingControls, view: DriveView, streams: DriveStreams) -> dict[str, Any]:
    """Return the message with the present state, in JSON types."""
    tuner, goal = session.cueing.tuner, getattr(session.driver, "goal", None)
    return {
        "type": "status",
        "driver": session.seat.name or session.seat.label,
        "offered": session.seat.offered,
        "ending": session.end_reason,
        "phase": str(getattr(session.driver, "phase", "")),
        "goal": None if goal is None else [float(goal.x), float(goal.y), float(goal.radius)],
        "moved": moved_objects(session),
        "processes": [*_window(view), *_platform(streams)],
        "streams": [_stream(outlet.stream) for outlet in streams.motions],
        "outlets": [
            {"name": one.name, "missed": one.missed, "dropped": one.dropped}
            for one in session.output.outlets
            if isinstance(one, OutletRunner)
        ],
        "sensors": [
            {"name": one.name, "late": int(one.late), "skipped": int(one.skipped), "trouble": one.trouble or one.lost}
            for one in session.measuring.sensors
        ],
        "faults": [_fault(one) for one in session.injector.faults],
        "incidents": 0 if session.recovery.latest is None else session.recovery.latest.number,
        "collisions": len(session.collisions),
        "intensity": tuner.intensity,
        "set": cueing.active,
        "washout": [one.shown(tuner.value(one)) for one in tuner.parameters],
    }


def _window(view: DriveView) -> list[dict[str, str]]:
    if view.supervisor is None:
        return []
    lost, frames = view.supervisor.lost, view.supervisor.frames
    state = BAD if lost or view.supervisor.missing else GOOD if frames else STARTS
    return [{"name": "window", "state": state, "text": view.supervisor.missing or f"{frames} frames"}]


def _platform(streams: DriveStreams) -> list[dict[str, str]]:
    one = streams.platform
    if one is None:
        return []
    state = BAD if one.gone else STARTS if one.process is None else GOOD
    return [{"name": "built-in platform", "state": state, "text": "has ended" if one.gone else "joins later" if streams.joins else ""}]


def _fault(fault: PlannedFault) -> dict[str, Any]:
    given = fault.given
    area = {"center", "size", "heading"} <= given.keys()
    return {
        "name": fault.name,
        "level": round(fault.level, 3),
        "text": fault.words,
        "area": [*given["center"], *given["size"], given["heading"]] if area else None,
    }


def _stream(stream: Any) -> dict[str, Any]:
    return {
        "name": f"motion stream {stream.protocol}",
        "address": stream.address,
        "sent": int(stream.sent),
        "lost": int(stream.lost),
        "refused": bool(stream.refused),
        "trouble": stream.failing or stream.trouble,
    }
