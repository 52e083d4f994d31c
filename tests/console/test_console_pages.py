"""Who may do what from a page of the console, which messages are refused, and who may open the page?"""

from __future__ import annotations

import json

import pytest

from simulator.base.errors import JounceError
from simulator.console.access import Access, new_token
from simulator.console.address import need_packages
from simulator.console.station import BURST, LOSS_TIME, MAX_BYTES, MAX_PAGES, REMEMBERED, WAITING, RefusedError, Station


class Drive:
    """Drive that notes what the station does."""

    def __init__(self):
        self.acts, self.stops, self.beats, self.supervised = [], 0, 0, []
        self.station = Station(
            ["time", "speed"], lambda *act: self.acts.append(act), self.count_stop, self.count_beat, self.supervised.append
        )

    def count_stop(self):
        self.stops += 1

    def count_beat(self):
        self.beats += 1

    def says(self, page, now=0.0, **message):
        self.station.hear(page, json.dumps(message), now)


@pytest.fixture
def drive():
    return Drive()


def refusals(page):
    return [line["kind"] for line in page.lines if line["type"] == "refused"]


def test_only_the_operator_acts_and_every_page_may_stop(drive):
    one, other = drive.station.join(0.0), drive.station.join(0.0)
    drive.says(one, type="act", kind="pause", value=True)
    assert drive.acts == [] and refusals(one) == ["pause"]
    drive.says(one, type="take")
    drive.says(one, type="act", kind="pause", value=True)
    drive.says(other, type="act", kind="reset")
    assert drive.acts == [("pause", True)] and refusals(other) == ["reset"]
    drive.says(other, type="stop")
    assert drive.stops == 1


def test_control_passes_by_a_hand_over_or_after_a_loss_and_not_otherwise(drive):
    one, other = drive.station.join(0.0), drive.station.join(0.0)
    drive.says(one, type="take")
    drive.says(one, now=2.0, type="beat")
    drive.says(other, now=2.0 + 0.9 * LOSS_TIME, type="take")
    assert drive.station.operator is one and refusals(other) == ["take"]
    drive.says(other, now=2.0 + 1.1 * LOSS_TIME, type="take")
    assert drive.station.operator is other, "the page of the operator hangs"
    drive.says(one, now=4.0, type="hand over")
    assert drive.station.operator is other, "only the operator hands over"
    drive.says(other, now=4.0, type="hand over")
    assert drive.station.operator is None and drive.supervised == [True, True, False]
    drive.says(one, now=4.0, type="take")
    drive.station.leave(one)
    assert drive.supervised[-1] is True, "an operator who leaves without a hand over is lost"
    drive.says(other, now=4.1, type="take")
    assert drive.station.operator is other


def test_only_the_operators_page_beats_for_the_drive(drive):
    one, other = drive.station.join(0.0), drive.station.join(0.0)
    drive.says(one, type="take")
    before = drive.beats
    for n in range(10):
        drive.says(other, now=0.1 * n, type="beat")
    assert drive.beats == before
    drive.says(one, now=1.0, type="beat")
    assert drive.beats == before + 1


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "1",
        '{"type": 3}',
        '{"type": "arm"}',
        '{"type": "act"}',
        '{"type": "act", "kind": "pause", "value": [[[[[1]]]]]}',
        '{"type": "act", "kind": "pause", "value": {"a": NaN}}',
        '{"type": "act", "kind": "pause", "value": {"a": 1e999}}',
        '{"type": "act", "kind": "pause", "value": "\\ud800"}',
        '{"type": "act", "kind": "pause", "value": {"\\ud800": 1}}',
        '{"type": "pictures", "names": "camera"}',
        '{"type": "pictures", "names": [1, 2, 3, 4]}',
        '{"type": "act", "kind": "' + 41 * "x" + '"}',
        '{"type": "act", "kind": "pause", "value": "' + 1501 * "x" + '"}',
        '{"type": "act", "kind": "pause", "value": ' + 300 * "1" + "}",
        '{"type": "plot", "columns": "time"}',
        '{"type": "plot", "columns": [1]}',
        '{"type": "beat", "more": "' + MAX_BYTES * "x" + '"}',
        5000 * "[",
    ],
)
def test_what_no_page_sends_ends_the_connection(drive, text):
    page = drive.station.join(0.0)
    drive.says(page, type="take")
    with pytest.raises(RefusedError):
        drive.station.hear(page, text, 0.0)
    assert drive.acts == [] and drive.stops == 0


def test_a_flood_ends_the_connection_and_a_heartbeat_does_not(drive):
    page, flood = drive.station.join(0.0), drive.station.join(0.0)
    for n in range(1000):
        drive.says(page, now=0.1 * n, type="beat")
    with pytest.raises(RefusedError, match="too many"):
        for _ in range(int(BURST) + 1):
            drive.says(flood, type="beat")


def test_a_slow_page_misses_messages_and_no_other_page_does(drive):
    slow, quick = drive.station.join(0.0), drive.station.join(0.0)
    for n in range(WAITING + 50):
        quick.lines.clear()
        drive.station.tell_all({"type": "event", "kind": "pause", "tick": n})
    assert len(slow.lines) == WAITING and slow.dropped >= 50
    assert quick.dropped == 0


def test_pages_and_columns_are_limited(drive):
    pages = [drive.station.join(0.0) for _ in range(MAX_PAGES)]
    assert None not in pages and drive.station.join(0.0) is None
    drive.station.leave(pages[3])
    assert drive.station.join(0.0) is not None
    drive.says(pages[0], type="plot", columns=["speed", "nonsense", "time"])
    assert pages[0].columns == ("speed", "time")


@pytest.fixture
def access():
    return Access("the token", "127.0.0.1", 8770)


def test_missing_packages_are_named_with_the_command_that_installs_them(monkeypatch):
    monkeypatch.setattr("simulator.console.address.find_spec", lambda name: None if name != "starlette" else object())
    with pytest.raises(JounceError, match=r"--console: uvicorn, websockets not installed; hint: run .*install"):
        need_packages("--console")


def test_a_token_has_128_random_bits():
    assert len({new_token() for _ in range(100)}) == 100
    assert {len(new_token()) for _ in range(20)} == {22}, "16 bytes in base 64"


@pytest.mark.parametrize("given", ["", "the tokem", "the token ", "THE TOKEN", "tökén", "\ud800"])
def test_only_the_token_opens(access, given):
    assert access.is_token("the token")
    assert not access.is_token(given)


def test_the_cookie_is_another_secret_which_scripts_and_other_sites_do_not_get(access):
    pair, *attributes = access.cookie.split("; ")
    assert set(attributes) == {"Path=/", "HttpOnly", "SameSite=Strict"} and "the token" not in pair
    assert access.has_cookie(f"other=1; {pair}")
    for wrong in ("", pair[:-1], pair.split("=")[0] + "=", f"x{pair}", "=;;=", f"{access.cookie_name}=the token"):
        assert not access.has_cookie(wrong), wrong
    assert not Access("the token", "127.0.0.1", 8771).has_cookie(pair)


def test_other_hosts_and_other_origins_are_refused(access):
    for host in ("127.0.0.1:8770", "localhost:8770", "LOCALHOST:8770", "[::1]:8770"):
        assert access.is_host(host)
        assert access.is_own_page(f"http://{host}", host)
    for host in ("", "127.0.0.1", "127.0.0.1:8771", "evil.example:8770", "127.0.0.1:8770.evil.example", "localhost:8770@evil"):
        assert not access.is_host(host), host
    for origin in ("", "null", "http://evil.example", "http://127.0.0.1:8771", "http://localhost:8770", "ftp://127.0.0.1:8770"):
        assert not access.is_own_page(origin, "127.0.0.1:8770"), origin
    assert not access.is_own_page("http://evil.example:8770", "evil.example:8770"), "a name that points to this machine"


def test_an_action_may_have_a_value_with_several_numbers(drive):
    page, value = drive.station.join(0.0), {"name": "force_gain", "index": None, "value": 0.5}
    drive.says(page, type="take")
    drive.says(page, type="act", kind="washout_parameter", value=value)
    drive.says(page, type="act", kind="add_fault", value={"type": "ice_patch", "center": [1.5, -2.0], "size": [20, 10]})
    assert drive.acts[0] == ("washout_parameter", value)
    assert drive.acts[1][1]["center"] == [1.5, -2.0]


def test_a_new_page_hears_the_last_events_and_a_slow_page_misses_old_states_of_the_parts(drive):
    for n in range(2 * REMEMBERED):
        drive.station.tell_all({"type": "event", "kind": "note", "value": n})
        drive.station.tell_all({"type": "status", "number": n})
    page = drive.station.join(0.0)
    assert [line["value"] for line in page.lines if line["type"] == "event"] == list(range(REMEMBERED, 2 * REMEMBERED))
    assert not [line for line in page.lines if line["type"] == "status"]
    assert drive.station.status == {"type": "status", "number": 2 * REMEMBERED - 1}


def test_only_pictures_that_a_page_shows_are_wanted(drive):
    one, other = drive.station.join(0.0), drive.station.join(0.0)
    assert drive.station.wanted_pictures() == set()
    drive.says(one, type="pictures", names=["map", "camera", "../token"])
    drive.says(other, type="pictures", names=["map"])
    assert drive.station.wanted_pictures() == {"camera", "map"}
    drive.station.leave(one)
    assert drive.station.wanted_pictures() == {"map"}
    drive.says(other, type="pictures", names=[])
    assert drive.station.wanted_pictures() == set()
