"""Triggers of a session: they are checked before the drivers of the other vehicles are called, and each acts once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from simulator.base.records import Record, Table
from simulator.faults.planned_fault import PlannedFault
from simulator.maneuvers.conditions import ConditionMonitor
from simulator.session_objects import SessionObjects
from simulator.session_vehicles import SessionVehicles
from simulator.triggers.encounter import Encounter
from simulator.triggers.section import Trigger
from simulator.triggers.world_view import WorldView
from terrain.objects.waiting_path import begin_path, hold_path
from vehicles.vehicle import Vehicle


@runtime_checkable
class TakesActions(Protocol):
    """Driver that takes the actions of triggers."""

    def set_speed(self, speed: float, acceleration: float) -> None:
        """Keep another speed [m/s] from now on, approached with at most an acceleration [m/s2]."""

    def change_lane(self, time: float, offset: float, length: float) -> None:
        """Shift the path from a time [s] on by an offset [m], + = left, over a length [m]."""


class SessionTriggers:
    """Triggers and encounters of one session; without any they cost nothing.

    Parameters
    ----------
    first, others, world : vehicles and objects of the session
    """

    def __init__(self, first: Vehicle, others: SessionVehicles, world: SessionObjects) -> None:
        self._first, self._others, self._world = first, others, world
        self._view = WorldView(first, others, world, (0.0, 0.0, 0.0))
        self._triggers: tuple[Trigger, ...] = ()
        self._faults: Sequence[tuple[str, PlannedFault]] = ()
        self._waiting: list[tuple[Trigger, list[ConditionMonitor]]] = []
        self._encounters: tuple[Encounter, ...] = ()
        self._heard = 0
        self.ended = ""
        """Reason for which an action has ended the drive; empty: none has."""

    def add(
        self,
        triggers: Sequence[Trigger],
        faults: Sequence[tuple[str, PlannedFault]],
        encounters: Sequence[str],
        start: tuple[float, float, float],
    ) -> None:
        """Add triggers and encounters before the drive begins.

        Parameters
        ----------
        faults : (name of its trigger, fault) of faults that are in the session, too
        encounters : names of vehicles and objects
        start : x, y [m] and yaw [rad] of the start of the terrain
        """
        self._triggers, self._faults = tuple(triggers), faults
        self._encounters = tuple(map(Encounter, encounters))
        self._view = WorldView(self._first, self._others, self._world, start)

    @property
    def logged(self) -> list[tuple[str, Table, Record]]:
        """(prefix, table, record) of the encounters."""
        return [one.logged for one in self._encounters]

    def begin(self) -> None:
        """Begin a drive: no trigger has acted."""
        self._waiting = [(one, [condition.watch() for condition in one.conditions]) for one in self._triggers]
        for one in self._triggers:
            for action in one.actions:
                if action["type"] == "move":
                    hold_path(self._world.objects, action["object"])
        self.ended, self._heard = "", len(self._world.collisions.all)
        for encounter in self._encounters:
            encounter.begin()
        self._observe(0.0)

    def advance(self, time: float) -> list[dict[str, Any]]:
        """Check the triggers at a simulated time [s], and act; return a description of each that has acted."""
        if not self._waiting and not self._encounters:
            return []
        self._observe(time)
        acted, left = [], []
        for trigger, monitors in self._waiting:
            if any([monitor.holds(self._view) for monitor in monitors]):  # noqa: C419 - every monitor needs every observation
                for action in trigger.actions:
                    self._act(trigger.name, action, time)
                acted.append({"name": trigger.name, "actions": trigger.words})
            else:
                left.append((trigger, monitors))
        self._waiting = left
        return acted

    def _observe(self, time: float) -> None:
        self._view.look(time, self._world.collisions.all[self._heard :])
        for encounter in self._encounters:
            encounter.update(self._view)

    def _act(self, trigger: str, action: Mapping[str, Any], time: float) -> None:
        """Start an action. A vehicle whose driver has failed takes none."""
        if action["type"] == "end":
            self.ended = f"ended by trigger {trigger}"
            return
        if action["type"] == "move":
            begin_path(self._world.objects, action["object"], time)
            return
        if action["type"] == "fault":
            for name, fault in self._faults:
                if name == trigger:
                    fault.begin_at(time)
            return
        driver = next((one.seat.driver for one in self._others.vehicles if one.name == action["vehicle"] and one.seat is not None), None)
        if not isinstance(driver, TakesActions):
            return
        if action["type"] == "lane_change":
            driver.change_lane(time, action["offset"], action["length"])
        elif action["type"] == "brake":
            driver.set_speed(0.0, action["deceleration"])
        else:
            driver.set_speed(action["speed"], action["acceleration"])
