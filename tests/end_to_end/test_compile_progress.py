"""Does the compilation show what it does and how long it takes, on a terminal and in a window that opens first?"""

import io
import json
import signal
import sys
import time

import pytest

from simulator.base import compile_messages
from simulator.builder import compile_progress, warm_up
from simulator.builder.compile_progress import FILE_NAME, ONE_CORE, OVERDUE, TIMES, CompileProgress, expected_times, save_times, time_left
from simulator.configuration.configuration import configuration
from simulator.configuration.overrides import changes
from simulator.host import start_window
from simulator.host.drive_view import PREPARES, DriveView
from simulator.view.gl_context import display_available
from simulator.view.instruments import Canvas, Font, asset
from simulator.view.start_window import CLOSED, HEADING, PANEL_SIZE, Progress, draw_progress


class Time:
    now = 100.0

    def __call__(self):
        return self.now


def test_the_time_that_is_left_follows_the_machine():
    clock = Time()
    progress = CompileProgress({"a": 10.0, "b": 20.0, "c": 10.0}, clock)
    assert (progress.part, progress.fraction, progress.remaining) == ("a", 0.0, 40.0)
    clock.now += 5.0
    assert progress.remaining == pytest.approx(35.0) and progress.fraction == pytest.approx(0.125)
    clock.now += 15.0
    assert progress.remaining == pytest.approx((OVERDUE - 1.0) * 20.0 + 30.0), "an overdue part is nearly done"
    assert progress.done() == ("a", 20.0)
    assert progress.text == "about 60 s left: b", "a machine of half the speed"
    last = progress.fraction
    for _ in range(40):
        clock.now += 1.0
        assert 0.0 < last < progress.fraction < 1.0
        last = progress.fraction
    progress.done()
    clock.now += 20.0
    progress.done()
    assert (progress.part, progress.remaining, progress.fraction, progress.text) == ("", 0.0, 1.0, "done")


def test_the_next_compilation_expects_the_times_of_the_last_one(tmp_path):
    assert expected_times(tmp_path, 2) == TIMES
    assert sum(expected_times(tmp_path, 1).values()) == pytest.approx(ONE_CORE * sum(TIMES.values()))
    seconds = {name: 3.0 * usual for name, usual in TIMES.items()}
    save_times(tmp_path, seconds)
    assert expected_times(tmp_path, 2) == seconds
    save_times(tmp_path, dict.fromkeys(TIMES, 0.1))
    assert expected_times(tmp_path, 2) == seconds, "a partial compilation says nothing about a full one"
    for broken in ("", "[]", "{}", '{"ground": 1}', json.dumps(dict.fromkeys(TIMES, -1.0)), json.dumps(dict.fromkeys(TIMES, "x"))):
        (tmp_path / FILE_NAME).write_text(broken)
        assert expected_times(tmp_path, 2) == TIMES
    assert time_left(4.0) == "a few seconds left" and time_left(91.0) == "about 2 min left"


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def compilation(monkeypatch):
    """A compilation of half a second."""

    def compile_parts(say, progress):
        say("compiling")
        for part in TIMES:
            time.sleep(0.07)
            assert progress.done()[0] == part
            say(part)

    monkeypatch.setattr(warm_up, "_compile", compile_parts)
    monkeypatch.setattr(warm_up, "is_compiled", lambda file: False)
    monkeypatch.setattr(warm_up, "is_cache_persistent", lambda: False)
    monkeypatch.setattr(warm_up, "UPDATE", 0.02)
    monkeypatch.setattr("simulator.base.progress_line.PERIOD", 0.02)


def test_a_command_shows_a_bar_on_a_terminal(compilation, monkeypatch):
    said, terminal = [], Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with compile_messages.report_compilation():
        warm_up.compile_kernels(said.append)
    monkeypatch.undo()
    assert said == ["compiling", *TIMES]
    assert all(f"left: {part[:36]}" in terminal.getvalue() for part in TIMES)
    assert " %, " in terminal.getvalue() and terminal.getvalue().endswith("\r\x1b[K")


def test_a_library_shows_nothing(compilation, monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    warm_up.compile_kernels(lambda line: None)
    monkeypatch.undo()
    assert terminal.getvalue() == ""


def test_somebody_who_shows_gets_growing_fractions(compilation):
    shown = []
    warm_up.compile_kernels(lambda line: None, lambda text, fraction: shown.append((text, fraction)))
    fractions = [fraction for _, fraction in shown]
    assert len(shown) > 10 and fractions == sorted(fractions)
    assert {text.partition(": ")[2] for text, _ in shown} >= set(list(TIMES)[:-1])


@pytest.mark.parametrize(("view", "display", "needed", "opens"), [
    ("auto", True, True, True), ("window", True, True, True), ("none", True, True, False), ("auto", False, True, False), ("auto", True, False, False),
])  # fmt: skip
def test_a_drive_with_a_window_opens_one_first(monkeypatch, view, display, needed, opens):
    opened = []

    class Window:
        def __init__(self):
            opened.append("window")

        def show(self, text, fraction):
            opened.append((text, fraction))

    def compile_now(configuration, say, show=lambda text, fraction: None):
        show("half", 0.5)

    monkeypatch.setattr("simulator.host.drive_view.StartWindow", Window)
    monkeypatch.setattr("simulator.host.drive_view.needs_compilation", lambda: needed)
    monkeypatch.setattr("simulator.host.drive_view.compile_for_session", compile_now)
    monkeypatch.setattr("simulator.view.gl_context.display_available", lambda: display)
    lines = []
    DriveView().compile(configuration(None, changes({"outlets.view": view})), lines.append)
    assert opened == (["window", ("half", 0.5), ("preparing the drive", 1.0)] if opens else [])
    assert lines == ([PREPARES] if display and view != "none" and not needed else []), "a start without a line looks like a crash"


def test_the_panel_shows_the_text_and_the_fraction():
    class Listener(Canvas):
        texts = ()

        def text(self, x, y, text, *rest):
            self.texts += (text,)
            super().text(x, y, text, *rest)

    progress = Progress()
    progress.follow(['{"text": "about 40 s left: drivers", "fraction": 0.425}\n', "no JSON\n", '{"text": 3}\n'])
    canvas = Listener(Font(asset("fonts/hud.npz")))
    draw_progress(canvas, progress, *PANEL_SIZE)
    assert canvas.texts == (HEADING, "about 40 s left: drivers", "42 %")
    assert progress.ended


class Process:
    """A window that the user has closed."""

    stdin = io.StringIO()

    def poll(self):
        return CLOSED


def test_closing_the_window_ends_the_program(monkeypatch):
    ended = []
    monkeypatch.setattr(start_window.cleanup, "start_child", lambda *_, **__: Process())
    before = signal.signal(signal.SIGINT, lambda number, _: ended.append(number))
    try:
        window = start_window.StartWindow()
        window.show("x", 0.1)
        window.show("x", 0.2)
        window.close()
    finally:
        signal.signal(signal.SIGINT, before)
    assert ended == [signal.SIGINT]


@pytest.mark.skipif(not display_available(), reason="no display")
def test_the_window_opens_and_closes():
    window = start_window.StartWindow()
    process = window._process
    for k in range(20):
        window.show("about 40 s left", k / 20)
        time.sleep(0.1)
    assert process.poll() is None
    window.close()
    assert process.poll() == 0


def test_the_parts_are_those_of_the_compilation():
    import inspect

    source = inspect.getsource(warm_up._compile)
    assert [part for part in compile_progress.TIMES if f'done("{part}")' in source] == list(compile_progress.TIMES)
    assert source.count('    done("') == len(compile_progress.TIMES)
