"""Does a page of the console act on a drive in real time, and what happens to the platform when the page or the console is lost?"""

from __future__ import annotations

import contextlib
import json
import re
import socket
import threading
import time
import urllib.error
import urllib.request

import numpy as np
import pytest
from test_rerun_with_events import again, events_in, script

from simulator.configuration.from_arguments import configuration
from simulator.configuration.overrides import changes
from simulator.host.drive import DriveOptions, Host
from simulator.host.drive_console import ConsoleOptions

for package in ("starlette", "uvicorn", "websockets"):
    pytest.importorskip(package)

PATIENCE = 60.0
"""s for a step of the operator; the first one waits for the compiler."""


class Unredirected(urllib.request.HTTPRedirectHandler):
    """The answer to the token is a redirection with a cookie."""

    def redirect_request(self, *_):
        return None


class Operator:
    """The operator's page: beats, and keeps what it receives."""

    def __init__(self, address):
        from websockets.sync.client import connect

        host = address.split("/")[2]
        with pytest.raises(urllib.error.HTTPError) as answer:
            urllib.request.build_opener(Unredirected).open(address, timeout=PATIENCE)
        cookie = answer.value.headers["Set-Cookie"].split(";")[0]
        scene = urllib.request.Request(f"http://{host}/drive.json", headers={"Cookie": cookie})
        self.drive = json.load(urllib.request.urlopen(scene, timeout=PATIENCE))
        page = connect(f"ws://{host}/live", origin=f"http://{host}", additional_headers={"Cookie": cookie}, proxy=None)
        self._opened = contextlib.ExitStack()
        self.socket = self._opened.enter_context(page)
        self.received, self._ended = [], threading.Event()
        self.state = {}
        for work in (self._listen, self._beat):
            threading.Thread(target=work, daemon=True).start()
        self.say(type="plot", columns=["host_tick", "paused", "host_stopped", "platform_state", "host_armed"])

    def say(self, **message):
        self.socket.send(json.dumps(message))

    def until(self, condition, what):
        limit = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < limit, what
            time.sleep(0.005)

    def last(self, kind):
        """The last message of a type; empty without one."""
        return next((one for one in reversed(self.received) if one["type"] == kind), {})

    def act(self, kind, value=None, **expected):
        """Act, and wait until the state is as expected."""
        self.say(type="act", kind=kind, value=value)
        self.until(lambda: self.state.items() >= expected.items(), f"{kind}: {self.state}")

    def leave(self):
        self._ended.set()
        self._opened.close()

    def _listen(self):
        names = []
        with contextlib.suppress(Exception):  # the socket ends
            for text in self.socket:
                message = json.loads(text)
                if message["type"] == "columns":
                    names = message["names"]
                elif message["type"] == "state":
                    self.state = dict(zip(names, message["v"], strict=True))
                else:
                    self.received.append(message)

    def _beat(self):
        with contextlib.suppress(Exception):
            while not self._ended.wait(0.1):
                self.say(type="beat")


class RealDrive:
    """A drive in real time with a console and a receiver of its motion."""

    def __init__(self, folder, seconds, on_loss="neutral"):
        self.folder, self.lines, self.failure = folder, [], None
        self.rig = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.rig.bind(("127.0.0.1", 0))
        motion = {"to": f"127.0.0.1:{self.rig.getsockname()[1]}", "wait": False}
        asked = {"maneuver": "avtp_lane_change", "driver": "scripted", "duration": 120.0, "outlets": {"view": "none", "motion": motion}}
        console = ConsoleOptions(0, on_loss)
        options = DriveOptions(
            configuration(None, changes(asked)), folder, say=self.lines.append, complain=self.lines.append, console=console
        )
        options.script = script((seconds, "quit", None))
        self.host = Host(options)

    def run(self, person):
        """Drive while `person(operator)` acts; return the operator."""
        thread = threading.Thread(target=self._operate, args=(person,))
        thread.start()
        with contextlib.closing(self.rig):
            self.host.run()
        thread.join(PATIENCE)
        if self.failure is not None:
            raise self.failure

    def _operate(self, person):
        try:
            limit = time.monotonic() + 10 * PATIENCE
            while not (found := [line for line in self.lines if "token=" in line]):
                assert time.monotonic() < limit, self.lines
                time.sleep(0.01)
            self.operator = Operator(re.search(r"http://\S+", found[0]).group())
            person(self.operator)
        except BaseException as error:
            self.failure = error


def test_an_operator_pauses_stops_and_acknowledges_and_a_rerun_repeats_it(tmp_path):
    def person(operator):
        operator.until(lambda: operator.state.get("platform_state", 0) == 2, "the platform rises")
        operator.act("pause", True)
        operator.say(type="take")
        operator.until(lambda: operator.last("role").get("role") == "operator", "control")
        operator.act("pause", True, paused=1)
        operator.act("platform", "raise")
        operator.act("pause", False, paused=0)
        operator.say(type="stop")
        operator.until(lambda: operator.state["host_stopped"] == 1, "the stop")
        operator.act("pause", False)
        operator.act("acknowledge", host_stopped=0, paused=1, host_armed=0)
        operator.act("pause", False, paused=0)
        operator.say(type="hand over")

    drive = RealDrive(tmp_path / "out", 8.0)
    drive.run(person)
    done = [(event.kind, event.value) for event in events_in(drive.folder) if event.origin == "console"]
    assert done == [("pause", True), ("pause", False), ("stop", None), ("acknowledge", None), ("pause", False)]
    refused = [line["kind"] for line in drive.operator.received if line["type"] == "refused"]
    assert refused == ["pause", "platform", "pause"], "without control; a raise; a continuation of a stopped drive"
    drive.operator.until(lambda: drive.operator.last("event").get("kind") == "end", "the end")
    assert [line["kind"] for line in drive.operator.received if line["type"] == "event"][-2:] == ["quit", "end"]
    token = drive.host.console.token
    assert not [file for file in tmp_path.rglob("*") if file.is_file() and token.encode() in file.read_bytes()]
    columns, repeated = again(drive, tmp_path)
    assert len(np.unique(columns["platform_legs_0"])) > 50
    assert all(np.array_equal(columns[name], repeated[name]) for name in columns), "the same bits, platform included"


@pytest.mark.parametrize("killed", [False, True])
def test_a_lost_operator_brings_the_platform_to_neutral(tmp_path, killed):
    def person(operator):
        operator.say(type="take")
        operator.until(lambda: operator.state.get("platform_state", 0) == 2, "the platform rises")
        if killed:
            drive.host.console.process._process.kill()
        else:
            operator.leave()
        drive.lost_at = drive.host.session.tick

    drive = RealDrive(tmp_path / "out", 8.0)
    drive.run(person)
    pauses = [event for event in events_in(drive.folder) if event.kind == "pause"]
    assert [(event.value, event.origin) for event in pauses] == [(True, "drive")]
    assert 2500 < pauses[0].tick - drive.lost_at < 3500
    assert sum("does not answer" in line for line in drive.lines) == 1
    assert killed == any("the console has ended" in line for line in drive.lines)


def test_an_operator_places_the_vehicle_and_sets_a_fault_and_the_page_hears_of_its_parts(tmp_path):
    def person(operator):
        operator.say(type="plot", columns=["host_tick", "p_WB_y", "paused"])
        operator.say(type="take")
        operator.until(lambda: operator.state.get("host_tick", 0) > 500, "the drive")
        operator.say(type="act", kind="place", value={"x": 30.0, "y": 40.0, "heading_deg": 90.0})
        operator.until(lambda: operator.state.get("p_WB_y", 0.0) > 39.0, "the place")
        operator.say(type="act", kind="add_fault", value={"type": "puncture", "wheel": "FL"})
        operator.until(lambda: any(one["level"] > 0.0 for one in operator.last("status").get("faults", ())), "the fault")
        operator.say(type="act", kind="note", value="a tire is flat")
        operator.say(type="act", kind="place", value={"x": "here"})
        operator.until(lambda: operator.last("refused"), "the refusal")
        operator.say(type="act", kind="next_run", value={"terrain": "slope"})
        operator.until(lambda: operator.last("question"), "the question, because the platform is up")
        time.sleep(1.1)
        operator.say(type="act", kind="confirm", value=operator.last("question")["number"])
        operator.until(lambda: operator.last("event").get("kind") == "end", "the end")

    drive = RealDrive(tmp_path / "out", 60.0)
    drive.run(person)
    done = [event.kind for event in events_in(drive.folder) if event.origin == "console"]
    assert done == ["place", "add_fault", "note", "next_run"]
    assert drive.host.control.next_run == {"terrain": "slope"}
    assert drive.operator.last("event")["value"] == drive.host.session.end_reason == "the operator begins the next run"
    status = drive.operator.last("status")
    assert [one["name"] for one in status["faults"]] == ["puncture_FL"]
    (stream,) = status["streams"]
    assert stream["sent"] > 100 and stream["lost"] == 0
    scene, actions = (drive.operator.drive[key] for key in ("scene", "actions"))
    assert len(scene["path"]) > 10 and "puncture" in [one["name"] for one in actions["faults"]]
    columns, repeated = again(drive, tmp_path)
    assert all(np.array_equal(columns[name], repeated[name]) for name in columns), "the same bits"
