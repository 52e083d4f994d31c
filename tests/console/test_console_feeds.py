"""Do scene, pictures and states of the parts reach a page, and does a console that does not read delay nothing?"""

from __future__ import annotations

import json
import os
import signal
import time

import console_rig
import numpy as np
import pytest
from console_rig import PATIENCE, Console, say, until, wait_for

from simulator.view.inset_block import InsetBlock

pytest.importorskip("uvicorn")


@pytest.fixture
def insets():
    block = InsetBlock()
    yield block
    block.close()


@pytest.fixture
def console(insets, monkeypatch):
    start = console_rig.ConsoleProcess
    more = {"drive": {"scene": {"cones": [[1.5, -2.0]]}, "actions": {}}, "pictures": insets.name}
    monkeypatch.setattr(console_rig, "ConsoleProcess", lambda setup, act: start(setup | more, act))
    console = Console()
    yield console
    console.close()


def test_the_scene_needs_the_cookie(console):
    assert console.get("/drive.json")[0] == 403
    assert console.get(f"/drive.json?token={console.token}")[0] == 403, "the token opens the page only"
    status, headers, content = console.get("/drive.json", Cookie=console.cookie())
    assert (status, headers["content-type"]) == (200, "application/json")
    assert json.loads(content)["scene"] == {"cones": [[1.5, -2.0]]}


def test_every_file_of_the_page_is_served(console):
    cookie = console.cookie()
    _, _, page = console.get("/", Cookie=cookie)
    named = [part.split('"')[0] for part in page.decode().replace("src=", "href=").split('href="')[1:]]
    for path in [*(one for one in named if one.startswith("/")), "/uplot.js", "/three.module.min.js", "/three.core.min.js"]:
        assert console.get(path, Cookie=cookie)[0] == 200, path
    assert console.get("/vendor/three/LICENSE", Cookie=cookie)[0] == 404


def test_pictures_reach_the_pages_that_show_them(console, insets):
    with console.page() as shows, console.page() as other:
        say(shows, type="pictures", names=["camera"])
        say(other, type="plot", columns=["time"])
        insets.put_image("front", np.zeros((45, 80, 3), np.uint8))
        found = next(message for message in iter(lambda: shows.recv(PATIENCE), None) if isinstance(message, bytes))
        assert found[:7] == b"\x00\x05front" and found[7:10] == b"\xff\xd8\xff", "number, length, title, JPEG"
        end = time.monotonic() + 0.6
        while time.monotonic() < end:
            try:
                assert isinstance(other.recv(0.1), str), "this page shows no picture"
            except TimeoutError:
                console.publish(2.0, 8)


def test_the_last_state_of_the_parts_reaches_a_page_that_comes_later(console):
    for n in range(300):
        console.process.tell({"type": "status", "number": n})
        time.sleep(0.0005)
    time.sleep(0.3)
    with console.page() as page:
        assert until(page, "status")["number"] == 299


@pytest.mark.skipif(os.name != "posix", reason="stops a process by a signal")
def test_a_console_that_hangs_drops_messages_and_delays_nothing(console):
    os.kill(console.process.pid, signal.SIGSTOP)
    try:
        longest = 0.0
        for n in range(3000):
            began = time.perf_counter()
            console.process.tell({"type": "status", "number": n, "text": 500 * "x"})
            longest = max(longest, time.perf_counter() - began)
        assert console.process.dropped > 1000 and longest < 0.1
    finally:
        os.kill(console.process.pid, signal.SIGCONT)
    wait_for(lambda: console.process.tell({"type": "status", "number": -1}))
    with console.page() as page:
        while until(page, "status")["number"] != -1:
            pass
