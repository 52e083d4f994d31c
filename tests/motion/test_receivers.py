"""Does a stream notice that no program receives its packets, without losing one?"""

import socket
import sys
import time

import numpy as np
import pytest

from simulator.base.progress_line import ProgressLine, bar
from simulator.base.registry import KindChoice
from simulator.builder.builder import build_cueing, build_vehicle
from simulator.motion.stream import MotionStream

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux reports a closed port for a packet")


@pytest.fixture(scope="module")
def cueing():
    return build_cueing("small_hexapod", "small_hexapod", 1e-3)


@pytest.fixture(scope="module")
def readout():
    return build_vehicle("hmmwv", check_step=False).readout


@pytest.mark.parametrize("protocol", ["native", "moog"])
def test_a_closed_port_is_noticed_and_an_open_one_again(cueing, readout, protocol):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as rig:
        rig.bind(("127.0.0.1", 0))
        port = rig.getsockname()[1]
    stream = MotionStream("127.0.0.1", port, protocol=KindChoice(protocol), rate=250)

    def send(count):
        for _ in range(count):
            stream.send(readout, cueing, False)
            time.sleep(0.001)

    send(20)
    assert stream.refused and stream.sent == 20 and stream.errors == 0 and not stream.failing
    assert stream.address == f"127.0.0.1 port {port}"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as rig:
        rig.bind(("127.0.0.1", port))
        rig.settimeout(1.0)
        send(1)
        before = stream.sent
        send(260)
        assert not stream.refused and stream.sent == before + 260
        assert all(rig.recv(2048) for _ in range(200)), "none is lost after a refusal"
        stream.close(lambda seconds: None)


class Terminal:
    def __init__(self):
        self.text = ""

    def isatty(self):
        return True

    def write(self, text):
        self.text += text

    def flush(self):
        """Nothing."""


def test_the_progress_is_one_line_of_a_terminal(monkeypatch):
    terminal, said = Terminal(), []
    monkeypatch.setattr("simulator.base.progress_line.PERIOD", 0.01)
    monkeypatch.setattr(sys, "stderr", terminal)
    line = ProgressLine(lambda: bar("stream", 6.0, 12.0))
    time.sleep(0.2)
    line.over(said.append)("a message")
    line.close()
    monkeypatch.undo()
    assert "\r\x1b[Kstream [############------------] 6 / 12 s" in terminal.text and "\n" not in terminal.text
    assert terminal.text.endswith("\r\x1b[K") and said == ["a message"]


def test_without_a_terminal_there_is_no_line(capsys):
    said = []
    line = ProgressLine(lambda: "never")
    line.over(said.append)("a message")
    line.close()
    assert capsys.readouterr().err == "" and said == ["a message"]
    assert np.isclose(bar("s", 99.0, 10.0).count("#"), 24)
