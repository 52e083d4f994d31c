"""Does a peer drive in lock step as the library does, is the log complete however the peer ends, and does a rerun repeat it?"""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from port_peer import LIDAR, Peer, command_body

import jounce
from simulator.base.errors import ConfigError
from simulator.cli.main import main
from simulator.event_effects.kinds import COMMANDS
from simulator.port.messages import HEADER, Kind, encode
from simulator.run.rerun import differences, rerun
from simulator.run.run_configuration import read_recorded
from simulator.telemetry.writer import read_telemetry

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def peer_of():
    """Connects peers that have said HELLO, and have got the state of the start."""
    made = []

    def connect(served):
        made.append(Peer(served.address))
        made[-1].text = made[-1].hello()
        made[-1].start = made[-1].values(made[-1].receive())
        return made[-1]

    yield connect
    for one in made:
        one.close()


def ended(peer, served, reason="enough"):
    """End the run; return the summary."""
    peer.request("quit", reason)
    peer.until(Kind.END)
    return served.end()


def again(folder, tmp_path):
    """Columns of a log that a rerun does not repeat."""
    log, configuration = read_recorded(folder)
    columns = read_telemetry(log.file, wall=False)
    repeated = rerun(log, configuration, columns, tmp_path / "again")
    return differences(columns, read_telemetry(repeated / "telemetry.parquet", wall=False))


def test_lock_step_gives_the_bits_of_the_library(serve, peer_of):
    served = serve(lock_step=50, state=("v_WB_B", "p_WB", "gear", "command_steering", "q_WB"))
    peer = peer_of(served)
    simulation = jounce.Simulation("hmmwv", "flat")
    assert peer.start["tick"] == 0 and peer.start["time"] == 0.0
    for n in range(30):
        parts = {"throttle": 0.6, "steering": 0.01 * n}
        simulation.command(**parts)
        simulation.advance(0.05)
        state = peer.step(**parts)
        assert (state["tick"], state["time"], state["command"]) == (50 * (n + 1), simulation.time, peer.sequence)
        for name in peer.channels:
            assert state[name] == simulation[name], name
    summary = ended(peer, served)
    assert (summary.failed, summary.time, summary.dropped) == (False, 1.5, 0)


def test_the_schema_names_each_channel_with_its_unit(serve, peer_of):
    served = serve(state=("v_WB_B", "gear"), timeout=7.0)
    peer = peer_of(served)
    rows = [line.split("\t") for line in peer.text.splitlines()]
    assert rows[0] == ["jounce port", "1"]
    info = {row[1]: row[2] for row in rows if row[0] == "info"}
    assert info == {"step_s": "0.001", "ticks": "10", "mode": "lock_step", "vehicle": "hmmwv", "timeout_s": "7.0"}
    assert [row[1:5] for row in rows if row[0] == "state"] == [
        ["0", "v_WB_B_x", "m/s", "B"],
        ["1", "v_WB_B_y", "m/s", "B"],
        ["2", "v_WB_B_z", "m/s", "B"],
        ["3", "gear", "1", ""],
    ]
    assert [row[2] for row in rows if row[0] == "command"][:3] == ["steering", "throttle", "brake"]
    other = serve(state=("v_WB_B", "engine_speed"))
    assert peer_of(other).schema != peer.schema
    assert peer_of(serve(state=("gear", "v_WB_B"))).schema == peer.schema, "channels have the order of the log"


def test_resets_and_faults_take_effect_and_come_again_in_a_rerun(serve, peer_of, tmp_path):
    served = serve(state=("v_WB_B", "tire_deflection", "resets"))
    peer = peer_of(served)

    def drive(steps):
        for _ in range(steps):
            state = peer.step(throttle=0.7)
        return state

    drive(100)
    peer.request("add_fault", {"type": "puncture", "wheel": "FL", "ramp_s": 0.2})
    accepted = peer.until(Kind.EVENT)[-1].event
    assert (accepted["kind"], accepted["origin"], accepted["tick"]) == ("add_fault", "port", 1000)
    assert accepted["value"]["start_s"] == 1.0 and accepted["value"]["name"] == "puncture_FL"
    flat = drive(100)
    assert flat["tire_deflection_FL"] > 1.5 * flat["tire_deflection_FR"]
    peer.request("reset")
    messages = peer.until(Kind.STATE)
    assert messages[-2].event["kind"] == "reset"
    start = peer.values(messages[-1])
    assert abs(start["v_WB_B_x"]) < 1e-6 and start["resets"] == 1
    sound = drive(150)
    assert sound["tire_deflection_FL"] == pytest.approx(sound["tire_deflection_FR"], rel=0.05), "the fault has ended with the reset"
    peer.request("add_fault", {"type": "engine_stop", "name": "no_fuel"})
    drive(20)
    peer.request("end_fault", "no_fuel")
    drive(130)
    summary = ended(peer, served)
    events = jounce.read_log(summary.folder).events
    assert [event.kind for event in events if event.origin == "port"] == ["add_fault", "reset", "add_fault", "end_fault", "quit"]
    faults = [(event.value["part"], event.value["begins"]) for event in events if event.kind == "fault"]
    assert faults == [("puncture_FL", True), ("no_fuel", True), ("no_fuel", False)]
    assert again(summary.folder, tmp_path) == []


def test_what_the_peer_may_not_or_cannot_do_is_refused_and_changes_nothing(serve, peer_of):
    served = serve(lock_step=100, state=("p_WB",))
    peer = peer_of(served)
    plain = peer_of(serve(lock_step=100, state=("p_WB",)))
    refusals = [
        *(
            encode(Kind.REQUEST, 0, 0, 0.0, f'{{"kind": "{name}"}}'.encode())
            for name in COMMANDS
            if name not in ("quit", "reset", "upright")
        ),
        encode(Kind.REQUEST, 0, 0, 0.0, b'{"kind": "add_fault", "value": {"type": "puncture", "wheel": "XX"}}'),
        encode(Kind.REQUEST, 0, 0, 0.0, b'{"kind": "add_fault", "value": {"type": "puncture", "wheel": "FL", "start_s": -1}}'),
        encode(Kind.REQUEST, 0, 0, 0.0, b'{"kind": "end_fault", "value": "none"}'),
        encode(Kind.REQUEST, 0, 0, 0.0, b"[" * 5000),
        encode(Kind.COMMAND, 0, peer.schema ^ 1, 0.0, command_body()),
        encode(Kind.COMMAND, 0, peer.schema, 0.0, command_body(throttle=float("nan"))),
        encode(Kind.COMMAND, 0, peer.schema, 0.0, command_body(brake=1.5)),
        encode(Kind.COMMAND, 0, peer.schema, 0.0, b"short"),
        HEADER.pack(b"JNCP", 1, 3, 32, 0, 0, 0.0),
    ]
    for number, data in enumerate(refusals, 1000):
        peer.raw(data[:12] + number.to_bytes(4, "little") + data[16:])
        sequence, reason = peer.until(Kind.REFUSED)[-1].reason
        assert sequence == number and reason, reason
        if number % 5 == 0:
            assert peer.step(throttle=0.5, steering=0.2) == {**plain.step(throttle=0.5, steering=0.2), "command": peer.sequence}
    assert not ended(peer, served).failed


def test_a_peer_that_is_gone_leaves_a_complete_log_and_exit_code_1(serve, peer_of):
    served = serve(lock_step=100)
    peer = peer_of(served)
    for _ in range(7):
        peer.step(throttle=0.5)
    peer.close()
    summary = served.end()
    assert summary.failed and summary.reason == "the peer has closed the connection"
    assert served.complained == ["the peer has closed the connection"]
    log = jounce.read_log(summary.folder)
    assert log.rows == 71 and log["time"][-1] == 0.7
    assert log.about["ended"] == "the peer has closed the connection"
    assert log.events[-1].kind == "end"


def test_a_silent_peer_is_told_the_end(serve, peer_of):
    served = serve(timeout=0.3)
    peer = peer_of(served)
    peer.step()
    began = time.monotonic()
    peer.send(Kind.ALIVE)
    last = peer.until(Kind.END)[-1]
    assert last.body.startswith(b"the peer was silent for 0.3 s; hint: a longer --timeout")
    assert time.monotonic() - began < 10.0
    assert served.end().failed


def test_a_peer_that_lives_is_waited_for(serve, peer_of):
    served = serve(timeout=0.5)
    peer = peer_of(served)
    for _ in range(8):
        time.sleep(0.15)
        peer.send(Kind.ALIVE)
    assert peer.step()["tick"] == 10
    assert not ended(peer, served).failed


def test_the_run_ends_after_its_duration(serve, peer_of):
    served = serve(lock_step=100, settings=[("duration", 0.3)])
    peer = peer_of(served)
    for _ in range(3):
        state = peer.step()
    assert state["time"] == 0.3
    assert peer.until(Kind.END)[-1].body == b"its duration of 0.3 s is over"
    assert not served.end().failed


def test_a_signal_ends_the_wait_for_a_peer_and_leaves_no_folder(serve, tmp_path):
    served = serve()
    assert served.address
    served.stop()
    assert served.end() is None
    assert not (tmp_path / "run0").exists()


def test_a_lock_step_is_a_multiple_of_the_period_of_the_driver(serve):
    with pytest.raises(ConfigError, match="a multiple of 10 ticks"):
        assert serve(lock_step=15).address


def test_a_wrong_channel_and_a_port_in_use_are_errors(serve):
    with pytest.raises(ConfigError, match=r"--state: .*did you mean"):
        assert serve(state=("v_WB_BB",)).address
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        with pytest.raises(jounce.JounceError, match=r"cannot listen at 127\.0\.0\.1"):
            assert serve(port=other.getsockname()[1]).address


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--udp", "--lock-step", "10"), "--lock-step is not for real time"),
        (("--rate", "50"), "--rate is for real time"),
        (("--udp", "--real-time"), "expected one of them"),
        (("--real-time", "--lock-step", "10"), "--lock-step is not for real time"),
        (("--timeout", "0"), "--timeout"),
    ],
)
def test_options_that_do_not_fit_are_refused(capsys, options, reason):
    try:
        code = main(["serve", "--port", "0", *options])
    except SystemExit as end:
        code = end.code
    assert code == 2
    assert reason in capsys.readouterr().err


def client(*command):
    process = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=120, check=False)
    assert process.returncode == 0, process.stderr
    return process.stdout.splitlines()


def test_the_clients_of_the_examples_drive(serve, tmp_path):
    simulation = jounce.Simulation("hmmwv", "flat")
    simulation.command(throttle=0.5)
    simulation.advance(5.0)
    last = f"{simulation['v_WB_B_x']:.2f} m/s after 500 commands"
    served = serve()
    lines = client(sys.executable, EXAMPLES / "port_client.py", *served.address.split(":"))
    assert lines[-1] == last
    assert not served.end().failed
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    client(compiler, "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-o", tmp_path / "client", EXAMPLES / "port_client.c")
    for wrong, reason in ((["x"], "usage: port_client [PORT]"), (["1"], "connect (start `jounce serve` first")):
        failed = subprocess.run([tmp_path / "client", *wrong], capture_output=True, text=True, timeout=60, check=False)
        assert failed.returncode == 1 and failed.stderr.startswith(f"port_client: {reason}") and failed.stderr.count("\n") == 1
    served = serve(settings=[("sensors", [LIDAR])], state=("v_WB_B", "roof.points"))
    *scans, quit_event, end_event, reason, after = client(tmp_path / "client", served.address.split(":")[1])
    assert (after, reason) == (last, "the peer has ended it") and '"quit"' in quit_event and '"end"' in end_event
    assert len(scans) == 51 and scans[-1].startswith("5.00 s, array 0: 36 x 16 items, ")
    assert 50 < int(scans[-1].split(", ")[2].split()[0]) < 36 * 16, "the beams below the horizon meet the ground"
    assert not served.end().failed
