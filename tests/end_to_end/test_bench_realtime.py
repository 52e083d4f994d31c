"""Does `jounce bench realtime` compute and print its figures, and does it send a user of other tables to a checkout?"""

from __future__ import annotations

import math
import socket
import time

import pytest

from simulator.benchmarks import real_time
from simulator.benchmarks.latency_probe import PacketReceiver, command_time, delays
from simulator.benchmarks.real_time import busy_processes, case_lines, figures, main_bench_realtime, summary_lines
from simulator.cli.main import main
from simulator.clock import Clock
from simulator.motion.protocols.native_packet import MotionPacket, encode


class IdleMachine:
    """Time of a machine on which nothing else runs; each look at it takes a microsecond."""

    def __init__(self) -> None:
        self.now = 100.0

    def perf_counter(self) -> float:
        self.now += 1e-6
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def machine_time(monkeypatch):
    idle = IdleMachine()
    monkeypatch.setattr("simulator.clock.time", idle)
    return idle


def test_the_clock_measures_the_cost_of_ticks_apart_from_the_waits(machine_time):
    clock = Clock(0.01)
    clock.start()
    for _ in range(20):
        clock.wait()
        machine_time.sleep(0.003)
    assert clock.cost.count == 19 and clock.cost.quantile(0.5) == pytest.approx(0.003, rel=0.01)
    assert clock.lateness.count == 20 and clock.lateness.worst < 1e-5


def test_a_new_start_does_not_count_the_pause_before_it(machine_time):
    clock = Clock(0.001)
    clock.start()
    clock.wait()
    machine_time.sleep(0.05)
    clock.start()
    clock.wait()
    assert clock.cost.count == 0


def test_the_effect_of_an_event_is_the_first_state_after_the_command():
    events = [(10.0, 0.5), (20.0, 1.0), (30.0, 9.0)]
    effects = [(9.0, 0.6), (10.001, 0.5), (10.003, 0.504), (20.002, 1.004), (20.1, 1.1)]
    assert delays(events, effects) == pytest.approx([0.003, 0.002])


@pytest.mark.parametrize(("seen", "commanded"), [(0.048, 0.04), (0.050, 0.04), (0.051, 0.05)])
def test_the_command_of_a_state_was_read_before_it(seen, commanded):
    assert command_time(seen) == pytest.approx(commanded)


def test_figures_are_in_ms():
    found = figures([0.001, 0.002, 0.009])
    assert (found["events"], found["p50_ms"], found["max_ms"]) == (3, 2.0, 9.0) and 8.0 < found["p99_ms"] < 9.0
    assert figures([])["p99_ms"] is None


def test_packets_are_received_with_their_times():
    receiver = PacketReceiver()
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            zeros = (0.0, 0.0, 0.0)
            packet = MotionPacket(0, 1, 5, True, 0.004, 1.25, zeros, zeros, (0.0,) * 6, (0.0,) * 6)
            for data in (b"no packet", encode(packet)):
                sender.sendto(data, ("127.0.0.1", receiver.port))
            until = time.perf_counter() + 5.0
            while not receiver.packets and time.perf_counter() < until:
                time.sleep(0.01)
    finally:
        receiver.close()
    ((arrival, simulated),) = receiver.packets
    assert simulated == 1.25 and abs(time.perf_counter() - arrival) < 5.0


def test_busy_processes_end():
    with busy_processes(2):
        pass


def case(loaded: bool, events: int) -> dict:
    clock = Clock(0.001)
    for late in (20e-6, 50e-6, 0.3e-3, 7e-3):
        clock.lateness.add(late)
        clock.cost.add(2.0 * late)
    latency = figures([0.004] * events)
    return {
        "case": "window", "loaded": loaded, "lateness": clock.lateness.to_json(), "tick_cost": clock.cost.to_json(), "packets": 10,
        "event_to_packet": latency, "event_to_frame": latency, "lost_events": 0, "frame_rate": 60.0 if events else math.nan,
    }  # fmt: skip


def test_a_case_as_text():
    lines = case_lines(case(True, 5))
    assert lines[0] == "window, loaded" and "lateness of 4 ticks" in lines[1]
    assert lines[3].split() == ["ticks", "2", "0", "1", "0", "0", "0", "1", "0"]
    assert "event to motion packet, 5 events: p50 4.0 ms, p99 4.0 ms, max 4.0 ms" in lines[7]
    assert not any("event" in line for line in case_lines(case(False, 0)))


@pytest.mark.parametrize("as_json", [False, True])
def test_without_a_display_only_the_case_without_a_window_runs(monkeypatch, capsys, as_json):
    measured = []
    monkeypatch.setattr(real_time, "display_available", lambda: False)
    monkeypatch.setattr(real_time, "_measure", lambda one, loaded, seconds: measured.append((one.name, loaded, seconds)) or case(loaded, 0))
    assert main_bench_realtime(7.0, as_json) == 0
    assert measured == [("no window", False, 7.0), ("no window", True, 7.0)]
    said = capsys.readouterr()
    assert "no display" in said.err and ("aim for the lateness" in said.out) == (not as_json)


def test_aims_are_judged():
    result = {"cases": [case(False, 5)], "machine": {"processor": "P", "cores": 2, "load_average": 0.1}, "real_time_priority": False}
    lines = summary_lines(result)
    assert "real-time priority: no" in lines[0] and all("not met (" in line for line in lines[1:3])


@pytest.mark.parametrize("words", [("tick", "--seconds", "10"), ("console",), ("--json",), ()])
def test_other_tables_are_in_a_checkout(words, capsys):
    assert main(["bench", *words]) == 2
    assert (
        capsys.readouterr().err
        == f"jounce: bench: not a command of the package; hint: in a checkout, run `python -m research {' '.join(('bench', *words))}`\n"
    )
