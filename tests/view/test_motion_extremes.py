"""Does the view get the peaks of the ticks between two publications?"""

from types import SimpleNamespace

import numpy as np
import pytest

from simulator.base.records import record
from simulator.events.turn_signals import TurnSignals
from simulator.outlets.view import ViewOutlet
from simulator.view.shared_state import MOTION_BLOCKS, STATE, interpolate
from simulator.view.vehicle_states import NO_STATES
from terrain.objects.object_set import NO_OBJECTS
from tests.view.scenes import readout, vehicle_without_controllers
from vehicles.command import COMMAND
from washout.cueing import STATES
from washout.perceived_motion import FELT


class Block:
    ruts = None
    generation = 0
    objects = None

    def publish(self, readout, extras, vehicles):
        self.extras = extras.copy()


def test_every_publication_has_the_extremes_of_its_ticks():
    states, watch = record(STATES), [{"f_H_B": np.array([0.0, 0.0, 9.81]), "w_WB_B": np.zeros(3)}]
    cueing = SimpleNamespace(
        pose=np.zeros(6), legs=np.zeros(6), platform=[{"shortest_leg": 0.0, "longest_leg": 1.0}], readout=states,
        monitor=SimpleNamespace(felt=record(FELT)),
    )  # fmt: skip
    session = SimpleNamespace(
        cueing=cueing, clock=None, command=record(COMMAND), paused=False,
 turn_signals=TurnSignals(), waits=False, readout=readout(), watch=SimpleNamespace(state=watch),
        ground=SimpleNamespace(p=[{"gravity": 9.81}]), objects=NO_OBJECTS, tick=0, h=0.001, others=SimpleNamespace(states=NO_STATES),
        seat=SimpleNamespace(name="keyboard", names=("keyboard",)), course=None, vehicle=vehicle_without_controllers(),
    )  # fmt: skip
    window = ViewOutlet(8, Block())
    for blow in (5.0, 0.0):
        for k in range(8):
            watch[0]["f_H_B"][0] = blow * (k == 3)
            states[0]["cab_w_NP_P"][1] = -blow * (k == 5)
            window.note_tick(session)
        window.publish(session)
    e = window.block.extras[0]
    assert e["motion_blocks"] == 2
    assert e["motion_high"][0, 0, :3] == pytest.approx([5.0, 0.0, 0.0]) and e["motion_low"][0, 0, :3] == pytest.approx(np.zeros(3))
    assert e["motion_low"][0, 1, 4] == -5.0
    assert not e["motion_high"][1, 0].any() and not e["motion_low"][1, 1, 3:].any(), "the next publication begins anew"


def test_extremes_are_not_interpolated():

    before, after, out = record(STATE), record(STATE), record(STATE)
    after[0]["motion_high"][MOTION_BLOCKS - 1] = 5.0
    interpolate(before, after, 0.5, out)
    assert (out[0]["motion_high"] == after[0]["motion_high"]).all()
