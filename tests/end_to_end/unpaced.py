"""Real-time clock without waiting, and sessions that use it."""

import numpy as np

import simulator.real_time
from simulator.base import plugin_thread
from simulator.base.plugin_thread import PluginThread
from simulator.builder.builder import build
from simulator.clock import Clock
from simulator.configuration.configuration import configuration
from simulator.configuration.overrides import changes

H = 1e-3


class Hurried(Clock):
    """A clock for which every tick is due at once."""

    def wait(self) -> None:
        self._ticks += 1


def hurry(monkeypatch):
    """Drives do not wait for the clock. They wait for the threads of plugins, which would not get a processor on a busy machine."""
    result = PluginThread.result
    monkeypatch.setattr(simulator.real_time, "Clock", Hurried)
    monkeypatch.setattr(PluginThread, "result", lambda thread, wait: result(thread, True))
    monkeypatch.setattr(plugin_thread, "PATIENCE", 30.0)


class Throttle:
    """A driver who accelerates in a bend."""

    def read(self, t, readout, command):
        command[0]["throttle"], command[0]["steering"], command[0]["selector"] = 0.7, 0.1, 1


class Tracker:
    """An outlet that notes what a platform gets, tick by tick, and what the state was."""

    every = 1

    def __init__(self):
        self.legs, self.states, self.forces, self.closed = [], [], [], 0

    def publish(self, session):
        self.legs.append(session.cueing.legs.copy())
        self.states.append(session.cueing.procedure.state)
        self.forces.append(np.concatenate([session.readout[0]["f_H_B"], session.cueing.readout[0]["felt_force"]]))

    def close(self):
        self.closed += 1


def new_session(driver=None, outlets=(), terrain="flat", vehicle="hmmwv"):
    """A vehicle at its start, the platform armed."""
    parts = build(configuration(None, changes({"terrain": terrain, "vehicle": vehicle})))
    session = parts.session(driver or Throttle(), outlets)
    session.reset()
    session.cueing.procedure.arm()
    return session


def assert_within_limits(session, legs):
    """No leg, in a row of legs one per tick, beyond its stroke, speed or acceleration."""
    p = session.cueing.platform[0]
    legs = np.array(legs)
    assert np.isfinite(legs).all()
    assert p["shortest_leg"] <= legs.min() and legs.max() <= p["longest_leg"]
    assert np.abs(np.diff(legs, axis=0)).max() / H <= p["leg_speed"] * (1.0 + 1e-9)
    assert np.abs(np.diff(legs, 2, axis=0)).max() / H**2 <= p["leg_acceleration"] * (1.0 + 1e-6)
