"""Columns for a replay: are they in every log, whatever channels are requested?"""

from __future__ import annotations

import numpy as np
import pytest

from simulator.base.records import record
from simulator.outlets.telemetry import LOG, TelemetryOutlet
from simulator.telemetry.log import read_log
from simulator.telemetry.replay_columns import COLLISIONS, DRAWN, LINKS, LOGGED, always_logged, is_always_logged
from simulator.telemetry.writer import LogChoice, LogOptions
from vehicles.command import COMMAND
from vehicles.readout import READOUT


def fields_of(tmp_path, channels):
    outlet = TelemetryOutlet(tmp_path, record(READOUT), record(COMMAND), options=LogOptions(LogChoice(channels)))
    outlet.writer.publish()
    outlet.close()
    return {column.field for column in read_log(tmp_path).columns.values()}


@pytest.mark.parametrize("channels", [("time",), ("a_WG_B_y", "theta"), ("platform_roll",)])
def test_a_log_of_few_channels_has_the_columns_of_a_replay(tmp_path, channels):
    fields = fields_of(tmp_path, channels)
    assert set(DRAWN) <= fields
    assert {one for one in LOGGED if "*" not in one} <= fields
    assert {f"command_{name}" for name, *_ in COMMAND} <= fields
    assert {channel.removesuffix("_y") for channel in channels} <= fields
    assert not fields & set(LINKS), "the points of the links are logged on request"


def test_every_field_is_one_of_a_run():
    fields = [row[0] for row in (*READOUT, *LOG)] + [f"command_{name}" for name, *_ in COMMAND]
    assert set(LOGGED) - set(always_logged(fields)) == set(COLLISIONS), "only a drive with objects has collisions"
    assert np.isin(LINKS, fields).all()


def test_columns_of_these_fields_are_known_by_their_names():
    assert all(map(is_always_logged, ("time", "p_WB_x", "R_BK_FL_x_x", "command_gear", "F_C_RR_z")))
    assert not any(map(is_always_logged, ("p_WG_x", "theta_FL", "commands", "F_Cx", "timer", "platform_roll")))
