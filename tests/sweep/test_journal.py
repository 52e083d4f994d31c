"""Are complete records recovered after an interruption at any byte?"""

from __future__ import annotations

import shutil
import zlib

import pytest

from simulator.sweep.journal import HEAD, Journals, read_rows

ROWS = [
    {"run": "a1", "metrics": {"speed": 0.1, "none": None}, "failure": ""},
    {"run": "b2", "metrics": {}, "failure": "wörds"},
    {"run": "c3", "metrics": {"x": 1e300}},
]


@pytest.fixture
def written(tmp_path):
    journals = Journals(tmp_path / "whole")
    places = [*journals.append("tcp://10.0.0.1:8786", ROWS[:1]), *journals.append("tcp://10.0.0.1:8786", ROWS[1:])]
    return tmp_path / "whole", places


def test_what_is_written_is_read_again_from_its_place(written):
    folder, places = written
    assert [path.name for path in folder.iterdir()] == ["tcp_10.0.0.1_8786.journal"]
    journals = Journals(folder)
    assert list(journals.recover()) == list(zip(places, ROWS, strict=True))
    assert [journals.row(place) for place in reversed(places)] == ROWS[::-1]


def test_a_tail_torn_at_any_byte_is_cut_off_and_written_on(written, tmp_path):
    folder, places = written
    (file,) = folder.iterdir()
    content = file.read_bytes()
    ends = [place.offset for place in places[1:]] + [len(content)]
    torn = tmp_path / "torn"
    for size in range(len(content)):
        shutil.rmtree(torn, ignore_errors=True)
        torn.mkdir()
        (torn / file.name).write_bytes(content[:size])
        whole = sum(end <= size for end in ends)
        assert [row for _, row in Journals(torn).recover()] == ROWS[:whole]
        journals = Journals(torn)
        journals.append("tcp://10.0.0.1:8786", ROWS[whole:])
        assert (torn / file.name).read_bytes() == content


def test_a_broken_record_is_none(written):
    folder, places = written
    (file,) = folder.iterdir()
    content = bytearray(file.read_bytes())
    content[places[1].offset + 12] ^= 1
    file.write_bytes(content)
    assert [row for _, row in Journals(folder).recover()] == ROWS[:1]
    assert file.stat().st_size == places[1].offset


@pytest.mark.parametrize("text", [b"no JSON", b"[1, 2]", b"\xff\xfe", b'{"name": 1}', b'{"run": 7}', '{"run": "wörds"}'.encode()])
def test_foreign_content_is_ignored(written, text):
    """A record that is complete, but no row: the rows after it stay."""
    folder, places = written
    (file,) = folder.iterdir()
    content = file.read_bytes()
    at = places[1].offset
    foreign = HEAD.pack(len(text), zlib.crc32(text)) + text
    file.write_bytes(content[:at] + foreign + content[at:])
    found = list(Journals(folder).recover())
    assert [row for _, row in found] == ROWS == list(read_rows(folder))
    assert [Journals(folder).row(place) for place, _ in found] == ROWS
