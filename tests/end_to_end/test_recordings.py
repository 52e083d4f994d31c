"""Recorded drives: does a replay show the frames of the drive, and sound like it?"""

from __future__ import annotations

import json
import wave
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from PIL import Image
from program import call, refused
from recorded_drive import SECONDS, copied, drive, silent

from simulator.base.errors import ConfigError, DeviceError
from simulator.base.records import record
from simulator.builder.builder import build
from simulator.configuration.configuration import configuration
from simulator.configuration.overrides import Override
from simulator.configuration.session_file import SoundOptions
from simulator.host.replay_command import Replay
from simulator.host.replay_player import Player
from simulator.host.replay_sound import ReplaySound
from simulator.run.frames import FrameState
from simulator.run.ghost import ghost_of
from simulator.run.recording import Recording
from simulator.view.shared_state import ViewReader

SIZE = (320, 180)


def offscreen(recording: Recording):
    from simulator.view.offscreen import Offscreen

    try:
        view = Offscreen(*SIZE, recording.parts.ground, recording.geometry, samples=1)
    except DeviceError as error:
        pytest.skip(str(error))
    view.scene.instruments = False
    return view


@pytest.fixture(scope="module")
def recorded(driven):
    return Recording(driven[0], silent)


def images_of_the_drive(recording: Recording, states: list[FrameState], camera: str) -> list[np.ndarray]:
    view, found = offscreen(recording), []
    for state, pressed, moved, vehicles in states:
        view.scene.place_vehicles(vehicles)
        for changes in moved:
            view.scene.move_objects(changes)
        for tiles in pressed:
            view.scene.show_ruts(tiles)
        view.camera = camera
        found.append(view.render(state).copy())
    view.close()
    return found


def images_of_the_replay(recording: Recording, positions, camera: str) -> list[np.ndarray]:
    view, found = offscreen(recording), []
    objects, ruts, state = recording.objects(), recording.ruts(), record(recording.state_table)
    for position in positions:
        row = recording.state(position, state)
        view.scene.move_objects(objects.take(row))
        view.scene.place_vehicles(recording.vehicles(position))
        if ruts is not None:
            view.scene.show_ruts(ruts.take(row))
        view.camera = camera
        found.append(view.render(state, state).copy())
    view.close()
    return found


@pytest.mark.parametrize("camera", ["chase", "driver", "suspension"])
def test_the_frames_of_a_replay_are_those_of_the_drive(driven, camera):
    folder, states = driven
    messages: list[str] = []
    recording = Recording(folder, messages.append)
    shown = images_of_the_drive(recording, states, camera)
    replayed = images_of_the_replay(recording, [float(one.state[0]["time"]) for one in states], camera)
    for k, (a, b) in enumerate(zip(shown, replayed, strict=True)):
        assert np.array_equal(a, b), f"image {k}"
    assert not messages
    assert any(len(one.rows) for state in states for one in state.moved), "a cone was hit"


def test_scrubbing_back_puts_the_objects_back(recorded):
    recording = recorded
    times = [1.0, SECONDS - 0.5, 1.0]
    first, moved, again = images_of_the_replay(recording, times, "chase")
    assert np.array_equal(first, again) and not np.array_equal(first, moved)
    followed = recording.objects()
    assert len(followed.take(recording.row_at(SECONDS)).rows)
    back = followed.take(recording.row_at(1.0))
    start = recording.parts.ground.objects.records["p_WO"][back.rows]
    np.testing.assert_array_equal(back.p_WO, start)
    assert back.present.all()


def test_ruts_of_a_replay_are_nearly_those_of_the_drive(tmp_path):
    states, _ = drive(tmp_path / "run", "flat_soil", 6.0)
    recording = Recording(tmp_path / "run", silent)
    bare = images_of_the_drive(recording, [one._replace(pressed=[]) for one in states], "chase")
    positions = [float(one.state[0]["time"]) for one in states]
    with_ruts = images_of_the_drive(recording, states, "chase")
    replayed = images_of_the_replay(recording, positions, "chase")

    def difference(images):
        return np.mean([np.abs(a.astype(int) - b).mean() for a, b in zip(with_ruts, images, strict=True)])

    assert difference(bare) > 0.05, "the ruts are visible"
    assert difference(replayed) < 0.05 * difference(bare)


OTHERS = (
    {"name": "rolls", "vehicle": "sedan", "position": [14, 3], "heading_deg": 10, "speed_kph": 30, "parking_brake": False, "log": "all"},
    {"name": "behind", "position": [-15, 0], "speed_kph": 20, "parking_brake": False},
    {"name": "ahead", "vehicle": "light_truck", "position": [25, -2]},
)


@pytest.mark.parametrize("channels", [(), ("a_WB_B_x",)])
def test_other_vehicles_of_a_replay_are_those_of_the_drive(tmp_path, channels):
    folder, messages = tmp_path / "run", list[str]()
    states, _ = drive(folder, "flat", 2.0, channels, OTHERS)
    recording = Recording(folder, messages.append)
    positions = [float(one.state[0]["time"]) for one in states]
    for position, one in zip(positions, states, strict=True):
        assert recording.vehicles(position).tobytes() == one.vehicles.tobytes()
    shown, replayed = images_of_the_drive(recording, states, "chase"), images_of_the_replay(recording, positions, "chase")
    assert channels or all(np.array_equal(a, b) for a, b in zip(shown, replayed, strict=True))
    assert not (folder / "objects.npz").exists()
    before, after, middle = (recording.vehicles(position)["p_WB"] for position in (1.0, 1.01, 1.005))
    np.testing.assert_allclose(middle, 0.5 * (before + after), atol=1e-9)
    if not channels:  # a row has all vehicles at the same time
        times = recording.columns("rolls_time", "time")
        np.testing.assert_array_equal(times["rolls_time"], times["time"])
    assert not [text for text in messages if "drawn at the start" in text]


def test_a_log_without_columns_of_other_vehicles_has_them_at_their_starts(tmp_path):
    drive(tmp_path / "run", "flat", 0.5, (), OTHERS)
    file = tmp_path / "run" / "telemetry.parquet"
    table = pq.read_table(file)
    pq.write_table(table.drop_columns([name for name in table.column_names if name.startswith("ahead_")]), file)
    messages: list[str] = []
    recording = Recording(tmp_path / "run", messages.append)
    assert len(recording.vehicles(0.3)) == 2
    assert [text for text in messages if "drawn at the start" in text and text.endswith(": ahead")]


def test_states_between_rows_are_interpolated(recorded):
    recording = recorded
    a, b, middle = (record(recording.state_table) for _ in range(3))
    recording.state(5.0, a)
    recording.state(5.01, b)
    recording.state(5.005, middle)
    assert middle[0]["time"] == pytest.approx(5.005)
    np.testing.assert_allclose(middle[0]["p_WB"], 0.5 * (a[0]["p_WB"] + b[0]["p_WB"]), atol=1e-9)
    assert np.linalg.norm(middle[0]["q_WB"]) == pytest.approx(1.0)


def test_events_have_their_positions(recorded):
    recording = recorded
    found = [event for event in recording.events if event.kind == "collision"]
    assert found and found[0].text.startswith("collision: cone_1")
    speed = recording.columns("v_WB_B_x")["v_WB_B_x"][recording.row_at(found[0].position)]
    assert float(found[0].text.split(", ")[1].split()[0]) == pytest.approx(speed, rel=0.2)


def test_a_video_and_png_files_have_equal_frames_each_time(driven, tmp_path, capsys):
    folder, _ = driven
    for name in ("first", "second"):
        words = ("--video", tmp_path / name, "--from", 6, "--to", 6.2, "--fps", 10, "--size", "160x90")
        code, out, err = call(capsys, "render", folder, *words)
        assert (code, err) == (0, "") and out.startswith("3 PNG files")
    files = sorted((tmp_path / "first").glob("*.png"))
    assert len(files) == 3
    contents = [file.read_bytes() for file in files]
    assert contents == [(tmp_path / "second" / file.name).read_bytes() for file in files]
    assert len(set(contents)) == 3, "the vehicle moves"


def test_animations_and_a_video_file(driven, tmp_path, capsys):
    av = pytest.importorskip("av")
    folder, _ = driven
    for name in ("clip.gif", "clip.webp", "clip.mp4"):
        code, _, err = call(capsys, "render", folder, "--video", tmp_path / name, "--to", 0.2, "--fps", 10, "--size", "160x90")
        assert (code, err) == (0, "")
    assert Image.open(tmp_path / "clip.gif").n_frames == Image.open(tmp_path / "clip.webp").n_frames == 3
    with av.open(str(tmp_path / "clip.mp4")) as clip:
        assert (clip.streams.video[0].width, clip.streams.video[0].average_rate) == (160, 10)
        assert sum(1 for _ in clip.decode(video=0)) == 3


@pytest.mark.parametrize("name", ["frames", "clip.gif", "clip.webp", "clip.mp4", "clip.mkv", "clip.webm"])
def test_a_video_may_have_less_than_one_image_per_second(driven, tmp_path, capsys, name):
    av = pytest.importorskip("av")
    target = tmp_path / name
    code, out, err = call(capsys, "render", driven[0], "--video", target, "--from", 2, "--to", 6, "--fps", 0.5, "--size", "64x48")
    assert (code, err) == (0, "") and out.startswith("3 ") and "6.0 s at 0.5 images per second" in out
    if name == "frames":
        assert len(list(target.glob("*.png"))) == 3
    elif name in ("clip.gif", "clip.webp"):
        with Image.open(target) as clip:
            clip.load()  # WebP: the time of an image is known when it is decoded
            assert clip.n_frames == 3 and clip.info["duration"] == 2000
    else:
        with av.open(str(target)) as clip:
            times = [float(frame.pts * frame.time_base) for frame in clip.decode(video=0)]
        assert times == pytest.approx([0.0, 2.0, 4.0], abs=0.01)
        assert len(sound_of(target)) / 48_000 == pytest.approx(6.0, abs=0.05)


def sound_of(file: Path) -> np.ndarray:
    av = pytest.importorskip("av")
    with av.open(str(file)) as clip:
        return np.concatenate([frame.to_ndarray()[0] for frame in clip.decode(audio=0)]) if clip.streams.audio else np.zeros(0)


def test_a_video_file_has_the_sound_of_the_drive(driven, tmp_path, capsys):
    """Its envelope is that of the WAV file; in slow motion the sound lasts longer, but has the same pitch."""
    part = ("--from", 2, "--to", 4, "--listener", "outside")
    video = (*part, "--fps", 5, "--size", "64x48")
    for words in (("--wav", "a.wav", *part), ("--video", "a.mp4", *video), ("--video", "slow.webm", *video, "--speed", 0.5)):
        assert call(capsys, "render", driven[0], words[0], tmp_path / words[1], *words[2:])[0] == 0
    with wave.open(str(tmp_path / "a.wav")) as file:
        wav = np.frombuffer(file.readframes(file.getnframes()), "<i2").reshape(-1, 2)[:, 0] / 32768.0
    sound, slow = sound_of(tmp_path / "a.mp4"), sound_of(tmp_path / "slow.webm")
    assert len(sound) / 48_000 == pytest.approx(11 / 5, abs=0.05) and len(slow) / 48_000 == pytest.approx(21 / 5, abs=0.05)

    def envelope(samples, seconds):
        n = round(0.1 * seconds * 48_000)
        return np.array([samples[k * n : (k + 1) * n].std() for k in range(2, 18)])

    assert np.corrcoef(envelope(sound, 1.0), envelope(wav, 1.0))[0, 1] > 0.95
    assert np.corrcoef(envelope(slow, 2.0), envelope(wav, 1.0))[0, 1] > 0.9
    tones = [spectrum_peak(samples) for samples in (wav[24_000:72_000], sound[24_000:72_000], slow[96_000:144_000])]
    assert tones[1] == pytest.approx(tones[0], rel=0.03) and tones[2] == pytest.approx(tones[0], rel=0.1)
    assert call(capsys, "render", driven[0], "--video", tmp_path / "none.mp4", *video, "--no-sound")[0] == 0
    assert len(sound_of(tmp_path / "none.mp4")) == 0


def spectrum_peak(samples: np.ndarray) -> float:
    """Frequency of the strongest line below 1 kHz [Hz]."""
    size = np.abs(np.fft.rfft(samples * np.hanning(len(samples))))
    f = np.fft.rfftfreq(len(samples), 1.0 / 48_000)
    return float(f[np.argmax(np.where((f > 30.0) & (f < 1000.0), size, 0.0))])


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("--video", "clip.avi"), ".mp4"),
        (("--video", "clip.mp4", "--size", "161x90"), "even"),
        (("--video", "out", "--from", "99"), "--from"),
        (("--video", "out", "--from", "5", "--to", "3"), "--to"),
        (("--video", "clip.gif", "--fps", "60"), "50"),
        (("--video", "clip.webp", "--fps", "60"), "50"),
        *(
            (("--video", "out", "--fps", rate), f"expected a number from 0.01 to 240; got {rate}")
            for rate in ("0", "-1", "nan", "inf", "0.001")
        ),
        ((), "--video"),
        (("--wav", "x.wav", "--from", "99"), "--from"),
        (("--wav", "x.wav", "--from", "5", "--to", "3"), "--to"),
    ],
)
def test_a_wrong_request_is_refused_in_a_line(driven, capsys, words, part, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert part in refused(call(capsys, "render", driven[0], *words))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("verb", ["replay", "render", "info"])
def test_a_missing_run_is_a_plain_sentence(capsys, verb, monkeypatch):
    monkeypatch.setenv("DISPLAY", ":1")
    said = refused(call(capsys, verb, "no_such_run", *(("--wav", "x.wav") if verb == "render" else ())))
    assert "no_such_run: missing; expected a run folder" in said


def test_a_log_without_links_plays_without_them(tmp_path):
    drive(tmp_path / "run", "flat", 1.0, ("v_WB_B",))
    messages: list[str] = []
    recording = Recording(tmp_path / "run", messages.append)
    assert len(messages) == 1 and "links" in messages[0] and not recording.has_links
    assert recording.duration == pytest.approx(1.0)
    image = images_of_the_replay(recording, [0.5], "suspension")[0]
    assert image.std() > 10.0


def test_a_replay_publishes_the_records_of_a_drive(driven):
    recording = Recording(driven[0], silent)
    player = Player(0.0, recording.duration, events=recording.events)
    replay = Replay(recording, player)
    heard = []
    replay.listeners.append(lambda readout, command, extras: heard.append((readout.copy(), command.copy(), extras.copy())))
    reader = ViewReader(replay.block.name)
    state = record(recording.state_table)
    generations = []
    try:
        for position in (0.0, 2.0, 1.0, SECONDS):
            player.seek(position)
            assert replay.serve()
            assert reader.read()
            generations.append(reader.generation)
            recording.state(position, state)
            for name in ("p_WB", "R_BK", "engine_speed", "F_C"):
                np.testing.assert_array_equal(reader.last[0][name], state[0][name])
            assert reader.last[0]["replay_position"] == position and reader.last[0]["replays"] == 1
        assert len(set(generations)) == 4, "each jump is a cut"
        assert len(reader.changed_objects().rows), "the cone that was hit"
        readout, command, extras = heard[1]
        recording.state(2.0, state)
        assert readout[0]["throttle"] == pytest.approx(command[0]["throttle"], abs=0.1)
        assert readout[0]["p_WB"][0] == state[0]["p_WB"][0] and extras[0]["selector"] == 1
    finally:
        reader.close()
        replay.close()


@contextmanager
def heard_replay(recording):
    """A player, its replay, and the record of the states that the sound gets."""
    player = Player(0.0, recording.duration)
    replay = Replay(recording, player)
    sound = ReplaySound(recording, player, replay.keys, silent)
    try:
        sound.open(SoundOptions(True, 0.5, "null"), "driver")
        outlet = sound._sound.outlet
        assert outlet is not None
        replay.listeners.append(sound.listen)
        replay.on_jump.append(sound.jump)
        yield player, replay, outlet._state
    finally:
        sound.close()
        replay.close()


def test_the_sound_of_a_replay_has_the_states_of_the_log(driven):
    recording = Recording(driven[0], silent)
    with heard_replay(recording) as (player, replay, states):
        for position in (3.0, 6.0):
            player.seek(position)
            replay.publish()
        heard, state = states[0], record(recording.state_table)
        recording.state(6.0, state)
        assert heard["engine_speed"] == state[0]["engine_speed"] > 100.0
        assert heard["jumps"] == 2 and heard["inside"] == 1 and heard["silent"] == 0
        hit = next(event.position for event in recording.events if event.kind == "collision")
        force = max(np.linalg.norm(recording.contact_forces(recording.row_at(hit + dt))) for dt in (0.0, 0.01, 0.02))
        assert force > 10.0
        player.paused = True
        replay.publish()
        assert states[0]["silent"] == 1


def test_the_horn_of_the_drive_sounds_in_its_replay(driven, tmp_path):
    folder = copied(driven, tmp_path)
    head = (folder / "events.jsonl").read_text().splitlines()[0]
    horns = [(2000, True), (3000, False), (5000, None)]
    lines = [json.dumps({"tick": tick, "time_s": tick / 1000, "origin": "window", "kind": "horn", "value": value}) for tick, value in horns]
    (folder / "events.jsonl").write_text("\n".join([head, *lines, ""]))
    heard = {}
    with heard_replay(Recording(folder, silent)) as (player, replay, states):
        for position in (1.9, 2.5, 3.1, 4.9, 5.3, 5.9, 2.1):
            player.seek(position)
            replay.publish()
            heard[position] = bool(states[0]["horn"])
    assert heard == {1.9: False, 2.5: True, 3.1: False, 4.9: False, 5.3: True, 5.9: False, 2.1: True}


def test_a_ghost_needs_the_same_terrain(driven):
    folder, _ = driven
    same = build(configuration(None, [Override(("terrain",), "obstacles", "test"), Override(("vehicle",), "sedan", "test")]))
    ghost = ghost_of(folder, same.configuration, True, silent)
    assert ghost.waits_for_motion and 0.0 < ghost.begins_moving < 5.0
    assert len(ghost.times) == pytest.approx(SECONDS / 0.02, abs=2) and not ghost.cuts[1:].any()
    other = build(configuration(None, [Override(("terrain",), "flat", "test"), Override(("vehicle",), "hmmwv", "test")]))
    with pytest.raises(ConfigError, match="a drive on the terrain obstacles"):
        ghost_of(folder, other.configuration, False, silent)


def test_replay_needs_a_display_and_says_what_does_not(driven, capsys, monkeypatch):
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert "jounce render" in refused(call(capsys, "replay", driven[0]))


def test_a_replay_prints_that_it_starts(tmp_path, capsys, monkeypatch):
    """The log is read and the window opened for some seconds."""
    monkeypatch.setattr("simulator.host.replay_command.display_available", lambda: True)
    code, out, _ = call(capsys, "replay", tmp_path / "none")
    assert code == 2 and out == "preparing the replay; the window opens in some seconds\n"
