"""A console process with the drive's end of it, and what a page does."""

from __future__ import annotations

import http.client
import json
import threading
import time
from contextlib import contextmanager

import numpy as np

from simulator.console.access import new_token
from simulator.console.state_block import StateBlock
from simulator.host.console_process import ConsoleProcess

COLUMNS = [
    {"name": "time", "unit": "s", "meaning": "time", "kind": "<f8", "offset": 0},
    {"name": "tick", "unit": "1", "meaning": "ticks", "kind": "<i8", "offset": 8},
]
PATIENCE = 20.0


def wait_for(condition):
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)


class Console:
    """A console process with the drive's end of it."""

    def __init__(self):
        self.block, self.acts, self.token = StateBlock(16), [], new_token()
        setup = {"block": self.block.name, "title": "car", "states": ["off"], "columns": COLUMNS}
        setup |= {"host": "127.0.0.1", "port": 0, "token": self.token}
        self.process = ConsoleProcess(setup, lambda *act: self.acts.append(act))
        wait_for(lambda: self.process.port or self.process.error)
        assert not self.process.error
        self.port, self.host = self.process.port, f"127.0.0.1:{self.process.port}"
        self.publish(1.5, 7)

    def publish(self, seconds, tick):
        self.block.begin()
        self.block.row[0, :8], self.block.row[0, 8:] = np.array([seconds]).view(np.uint8), np.array([tick]).view(np.uint8)
        self.block.end()

    def get(self, path, method="GET", body=None, **headers):
        """Status, headers and content."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        connection.request(method, path, body=body, headers={"Host": self.host, **headers})
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()

    def cookie(self):
        _, headers, _ = self.get(f"/?token={self.token}")
        return headers["set-cookie"].split(";")[0]

    def page(self, **changed):
        """A socket as of the console's page."""
        from websockets.sync.client import connect

        headers = {"Cookie": self.cookie()} | {name: value for name, value in changed.items() if value is not None}
        return connect(
            f"ws://{self.host}/live", origin=headers.pop("Origin", f"http://{self.host}"), additional_headers=headers, proxy=None
        )

    def close(self):
        self.process.close()
        self.block.close()


def say(page, **message):
    page.send(json.dumps(message))


def until(page, kind):
    """Next message of a kind."""
    while True:
        message = json.loads(page.recv(PATIENCE))
        if message["type"] == kind:
            return message


@contextmanager
def beating(page):
    """Heartbeat of a page."""
    ended = threading.Event()

    def beat():
        while not ended.wait(0.1):
            say(page, type="beat")

    thread = threading.Thread(target=beat)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
