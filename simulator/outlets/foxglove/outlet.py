"""Outlet that serves a session to Foxglove and Lichtblick."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.base.addresses import is_loopback
from simulator.outlets.foxglove.log import LogTopic
from simulator.outlets.foxglove.options import FoxgloveOptions
from simulator.outlets.foxglove.scene import SceneTopics
from simulator.outlets.foxglove.server import FoxgloveSink
from simulator.outlets.live_topics import LiveTopics, common_groups
from simulator.outlets.topic_groups import TopicGroup

if TYPE_CHECKING:
    from simulator.session import Session
    from vehicles.vehicle import Vehicle

OPEN = "warning: Foxglove: every program that reaches {} may watch; the connection is not encrypted"


def foxglove_outlet(session: Session, options: FoxgloveOptions, about: Mapping[str, Any], note: Callable[[str], None]) -> LiveTopics:
    """Return the outlet. Raises JounceError: the package is missing, or the address cannot be used.

    Parameters
    ----------
    about : parameters of the session for clients, with the names of vehicle and terrain; None of them is left out
    note : called with one-line messages
    """
    parameters = {name: value for name, value in {**about, **vehicle_numbers(session.vehicle)}.items() if value is not None}
    sink = FoxgloveSink(options, f"Jounce: {about['vehicle']} on {about['terrain']}", parameters)
    groups: list[TopicGroup] = [*common_groups(session, truth=True), SceneTopics(session), LogTopic()]
    outlet = LiveTopics(session, sink, options.rate, "outlets.foxglove", groups, note)
    if not is_loopback(options.host):
        note(OPEN.format(sink.address))
    note(f"Foxglove: ws://{sink.address} is open for Foxglove and Lichtblick (Open connection, Foxglove WebSocket)")
    return outlet


def vehicle_numbers(vehicle: Vehicle) -> dict[str, float]:
    """Return selected numbers of a vehicle, in SI units."""
    centers, tires, contact = np.asarray(vehicle.wheel_centers), vehicle.model.tires, vehicle.model.object_contact[0]
    length, width, _ = vehicle.description.outline
    return {
        "vehicle.mass_kg": float(contact["mass"]),
        "vehicle.wheelbase_m": float(np.ptp(centers[:, 0])),
        "vehicle.track_m": float(np.ptp(centers[:, 1])),
        "vehicle.length_m": float(length),
        "vehicle.width_m": float(width),
        "vehicle.tire_radius_m": float(tires["radius"][0]),
    }
