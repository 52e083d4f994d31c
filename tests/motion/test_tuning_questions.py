"""Which changes of the motion take effect at once, which need a confirmation, and what counts as one?"""

from __future__ import annotations

import math
import threading
from types import SimpleNamespace

import pytest
import yaml
from cueing_scenes import REST, STILL, H, cueing, engaged, hard_drive, platform, washout_mapping, worst_use
from test_adjusting import parameter, ride

from simulator.base.errors import ConfigError, OutputError
from simulator.base.yaml_reader import read_yaml
from simulator.event_effects.cueing_controls import CueingControls
from simulator.events.event import Event, Origin
from simulator.events.questions import MAX_ANSWER_TIME, MIN_ANSWER_TIME
from simulator.host.event_service import EventService
from simulator.host.washout_save import MAX_WAITING, WashoutSave, tuned_text
from simulator.run.event_replay import EventReplay
from washout.cueing import MotionCueing


class Drive:
    """Drive whose motion is tuned; `wait` lets time pass."""

    def __init__(self, motion=None):
        motion = motion or cueing()
        self.announced, self.questions, self.refused, self.shown = [], [], [], ""
        self.session = SimpleNamespace(
            cueing=motion, tick=1000, h=H, time=1.0, waits=False, platform_stopped=False, announce=self.announced.append
        )
        self.cueing, self.tuner = CueingControls(motion.tuner), motion.tuner
        self.service = EventService(
            self, lambda _: None, lambda event, text: self.refused.append((event.kind, text)), self.questions.append
        )
        self.platform, self.nexts = "engaged", []

    @property
    def platform_state(self):
        return self.platform

    def show(self, text, seconds=None, holds=None):
        self.shown = text

    def send(self, kind, value=None, origin=Origin.CONSOLE):
        self.session.platform_state = "stopped" if self.session.platform_stopped else self.platform
        self.service.apply(Event(kind, value, origin))

    def start_next(self, value):
        self.nexts.append(value)
        return value

    def wait(self, seconds):
        self.session.tick += round(seconds / H)

    def degrees(self):
        return math.degrees(self.tuner.value(parameter(self.session.cueing, "tilt rate")))


@pytest.fixture
def drive():
    return Drive()


def tilt_rate(value):
    return {"name": "tilt_rate_degps", "index": None, "value": value}


GIVEN = float(washout_mapping()["cueing"]["tilt_rate_degps"])


def test_values_around_that_of_the_file_are_free(drive):
    for value in (1.4 * GIVEN, GIVEN / 1.4, GIVEN):
        drive.send("washout_parameter", tilt_rate(value))
        assert drive.degrees() == pytest.approx(value) and drive.questions == []
    assert drive.announced[-1].value == tilt_rate(GIVEN), "recorded with key and unit of the file"


def test_an_absurd_value_waits_for_its_confirmation_by_number(drive):
    drive.send("washout_parameter", tilt_rate(900.0))
    (question,) = drive.questions
    assert "tilt rate 900 deg/s is outside of" in question.text and f"around {GIVEN:g} deg/s of the file" in question.text
    drive.send("confirm", question.number)  # a page that does not wait for its operator
    drive.wait(MIN_ANSWER_TIME + 0.1)
    for wrong in (question.number + 1, 0):
        drive.send("confirm", wrong)
    drive.send("washout_parameter", tilt_rate(800.0))  # a page that sends again, in place of a confirmation
    assert drive.degrees() == pytest.approx(GIVEN) and drive.announced == []
    assert [kind for kind, _ in drive.refused] == 3 * ["confirm"]
    drive.wait(MIN_ANSWER_TIME + 0.1)
    drive.send("confirm", question.number)
    assert drive.degrees() == pytest.approx(GIVEN), "a later question replaces the first one"
    drive.send("confirm", drive.questions[-1].number)
    assert drive.degrees() == pytest.approx(800.0)
    assert [(event.kind, event.value, event.origin) for event in drive.announced] == [
        ("washout_parameter", tilt_rate(800.0), Origin.CONSOLE)
    ]
    drive.send("confirm", drive.questions[-1].number)
    assert len(drive.announced) == 1, "a question is confirmed once"
    drive.send("washout_parameter", tilt_rate(100.0))
    assert drive.degrees() == pytest.approx(100.0), "back towards the file is free"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1.0, 1e9, "9", True, None])
def test_what_the_file_refuses_is_refused_without_a_question(drive, value):
    drive.send("washout_parameter", tilt_rate(value))
    assert drive.questions == [] and drive.announced == [] and len(drive.refused) == 1


def test_a_question_is_forgotten_and_only_its_sender_confirms(drive):
    drive.send("washout_parameter", tilt_rate(900.0))
    drive.wait(MIN_ANSWER_TIME + 0.1)
    for origin in (Origin.WINDOW, Origin.DEVICE, Origin.SCRIPT):
        drive.send("confirm", drive.questions[0].number, origin)
    drive.wait(MAX_ANSWER_TIME)
    drive.send("confirm", drive.questions[0].number)
    assert drive.degrees() == pytest.approx(GIVEN) and drive.announced == []


def test_a_key_in_a_row_stops_at_the_free_range_and_the_same_key_after_a_while_confirms(drive):
    while drive.cueing.parameter is None or drive.cueing.parameter.words != "tilt rate":
        drive.send("washout_next", None, Origin.WINDOW)
    for _ in range(40):
        drive.send("washout_up", None, Origin.WINDOW)
        drive.wait(0.1)
    free = drive.degrees()
    assert GIVEN < free <= 1.5 * GIVEN and "press again to confirm" in drive.shown and drive.questions == []
    drive.wait(MIN_ANSWER_TIME)
    drive.send("washout_up", None, Origin.DEVICE)
    assert drive.degrees() == free, "of another sender"
    drive.send("washout_up", None, Origin.WINDOW)
    assert drive.degrees() == pytest.approx(1.1 * free)
    drive.send("washout_up", None, Origin.WINDOW)
    drive.send("washout_next", None, Origin.WINDOW)
    before = drive.tuner.value(drive.cueing.parameter)
    drive.wait(MIN_ANSWER_TIME + 0.1)
    for _ in range(30):
        drive.send("washout_up", None, Origin.WINDOW)
    after = drive.tuner.value(drive.cueing.parameter)
    assert after <= 1.5 * before * 1.001, "the question was about another parameter"


def test_more_intensity_than_the_session_has_needs_a_confirmation_and_less_never(drive):
    for value in (0.0, 1.5, 1.0):
        drive.send("intensity", value)
        assert drive.tuner.intensity == value
    drive.send("intensity", 2.0)
    for _ in range(20):
        drive.send("intensity_up", None, Origin.WINDOW)
    assert drive.tuner.intensity == pytest.approx(1.5) and len(drive.questions) == 1
    drive.wait(MIN_ANSWER_TIME + 0.1)
    drive.send("confirm", drive.questions[0].number)
    assert drive.tuner.intensity == 2.0


def test_a_value_that_is_zero_in_the_file_has_a_free_range(drive):
    zero = [one for one in drive.tuner.parameters if one.given == 0.0]
    for one in zero:
        low, high = one.free
        assert one.least <= low <= 0.0 <= high <= one.most and low < high
        assert "outside of" in drive.cueing.parameter_question({"name": one.key, "index": one.index, "value": one.shown(one.most)})
    assert zero, "there is one"


def test_a_script_takes_effect_at_once_and_a_rerun_asks_nothing(drive):
    drive.send("washout_parameter", tilt_rate(900.0), Origin.SCRIPT)
    assert drive.degrees() == pytest.approx(900.0)
    other = cueing()
    session = SimpleNamespace(cueing=other, tick=2000, announce=lambda event: None)
    EventReplay(session, drive.announced, "events.jsonl").serve()
    assert other.tuner.value(parameter(other, "tilt rate")) == drive.tuner.value(parameter(drive.session.cueing, "tilt rate")), "bit by bit"


def test_a_key_without_a_unit_is_in_si_as_in_a_file(drive):
    drive.send("washout_parameter", {"name": "tilt_rate", "index": None, "value": math.radians(1.2 * GIVEN)})
    assert drive.degrees() == pytest.approx(1.2 * GIVEN)
    assert drive.announced[-1].value["name"] == "tilt_rate_degps"


@pytest.mark.parametrize("state", ["engaged", "rise", "neutral", "park", "paused"])
def test_the_next_run_needs_a_confirmation_while_the_platform_is_up(drive, state):
    drive.platform = state
    drive.send("next_run", {"vehicle": "sedan"})
    assert drive.nexts == [] and "the platform parks" in drive.questions[0].text
    drive.wait(MIN_ANSWER_TIME + 0.1)
    drive.send("confirm", drive.questions[0].number)
    assert drive.nexts == [{"vehicle": "sedan"}] and drive.service.ended_by.kind == "next_run"


def test_the_next_run_begins_at_once_at_rest_and_never_while_the_platform_is_stopped(drive):
    drive.session.platform_stopped = True
    drive.send("next_run", {})
    assert drive.nexts == drive.questions == [] and "acknowledgment" in drive.refused[0][1]
    drive.session.platform_stopped, drive.platform = False, "parked"
    drive.send("next_run", {})
    assert drive.nexts == [{}] and drive.questions == []


def test_two_sets_are_switched_by_one_event_and_keep_their_values(drive):
    gain = {"name": "force_gain", "index": 0, "value": 0.45}
    drive.send("washout_set")
    drive.send("washout_parameter", gain)
    drive.send("washout_parameter", tilt_rate(1.3 * GIVEN))
    drive.send("intensity", 0.7)
    drive.send("washout_set")
    assert (drive.cueing.active, drive.tuner.intensity) == ("A", 1.0)
    assert all(drive.tuner.value(one) == one.given for one in drive.tuner.parameters), "A has the values of the file"
    drive.send("washout_set", "B")
    assert drive.tuner.intensity == 0.7 and drive.degrees() == pytest.approx(1.3 * GIVEN)
    assert drive.tuner.value(parameter(drive.session.cueing, "force gain surge")) == 0.45
    assert [event.value for event in drive.announced if event.kind == "washout_set"] == ["B", "A", "B"]


def test_a_switch_of_sets_and_a_confirmed_value_have_no_step():
    motion = engaged()
    drive = Drive(motion)
    calm = REST + 0.25 * (hard_drive(9000) - REST)

    def change(k):
        if k == 1000:
            drive.send("washout_set", "B", Origin.SCRIPT)
            for name, index, value in (("force_gain", 0, 1.5), ("tilt_rate_degps", None, 900.0), ("high_pass_frequency", 1, 20.0)):
                drive.send("washout_parameter", {"name": name, "index": index, "value": value}, Origin.SCRIPT)
        elif k % 1000 == 0 < k:
            drive.send("washout_set")

    legs, _, _ = ride(motion, calm, change=change)
    assert len(drive.announced) == 4 + 7 and drive.refused == []
    assert max(worst_use(motion.platform, legs)) <= 1.0


def test_the_saved_file_is_the_tuned_washout(tmp_path):
    motion, written = cueing(), []
    drive = Drive(motion)
    for value in (tilt_rate(1.3 * GIVEN), {"name": "force_gain", "index": 1, "value": 0.41}):
        drive.send("washout_parameter", value)
    ride(motion, [REST] * 1100)
    content = washout_mapping()
    del content["cueing"]["tilt_rate_degps"]
    content["cueing"]["tilt_rate"] = math.radians(GIVEN)  # another spelling of the key
    (tmp_path / "washout_tuned_1.yaml").write_text("of an earlier drive\n")
    save = WashoutSave(content, motion.tuner, tmp_path, lambda file, text: written.append((file, text)), lambda work: work() is None)
    save.save()
    save.save()
    for thread in threading.enumerate():
        if thread.name == "tuned washout":
            thread.join()
    assert sorted(file.name for file, _ in written) == ["washout_tuned_2.yaml", "washout_tuned_3.yaml"]
    assert (tmp_path / "washout_tuned_1.yaml").read_text() == "of an earlier drive\n"
    saved = read_yaml(written[0][0])
    other = MotionCueing(saved, "saved", platform(), H)
    for name in motion.records[0].dtype.names:
        assert (motion.records[0][name] == other.records[0][name]).all(), name
    assert "tilt_rate_degps" in saved["cueing"] and "tilt_rate" not in saved["cueing"], "one spelling of the key"
    unchanged = {key: one for key, one in content["cueing"].items() if key not in ("tilt_rate", "force_gain")}
    assert {key: saved["cueing"][key] for key in unchanged} == unchanged and saved["procedure"] == content["procedure"]


def test_a_folder_that_cannot_be_written_is_reported_to_the_operator(tmp_path):
    motion, written, reasons, troubles = cueing(), [], [], []
    (tmp_path / "gone").write_text("no folder")

    def attempt(work):
        try:
            work()
        except OutputError as error:
            troubles.append(str(error))

    WashoutSave(washout_mapping(), motion.tuner, tmp_path / "gone", lambda *saved: written.append(saved), attempt, reasons.append).save()
    for thread in threading.enumerate():
        if thread.name == "tuned washout":
            thread.join()
    assert written == [] and reasons == troubles and "washout_tuned_1.yaml: cannot be written" in reasons[0]


def test_a_flood_of_saves_is_refused_until_the_files_are_written(tmp_path):
    slow, motion, written = threading.Event(), cueing(), []
    save = WashoutSave(
        washout_mapping(), motion.tuner, tmp_path, lambda file, text: written.append(file), lambda work: slow.wait() and work()
    )
    for _ in range(MAX_WAITING):
        save.save()
    with pytest.raises(ConfigError, match="less than 4 files that are being written"):
        save.save()
    slow.set()
    for thread in threading.enumerate():
        if thread.name == "tuned washout":
            thread.join()
    save.save()
    for thread in threading.enumerate():
        if thread.name == "tuned washout":
            thread.join()
    assert len(set(written)) == MAX_WAITING + 1


def test_the_intensity_is_named_in_the_file_and_a_washout_without_parameters_is_not_saved(tmp_path):
    motion = cueing()
    values = {one: motion.tuner.value(one) for one in motion.tuner.parameters}
    assert "intensity: 0.6" in tuned_text(washout_mapping(), values, 0.6).splitlines()[1]
    none = SimpleNamespace(parameters=(), intensity=1.0)
    with pytest.raises(ConfigError):
        WashoutSave({}, none, tmp_path, print, print).save()
    motion.step(REST, STILL, True, H)


@pytest.mark.parametrize("name", ["small_hexapod", "small_hexapod_adaptive", "large_hexapod_adaptive"])
def test_every_parameter_of_a_washout_is_saved_as_it_is_tuned(name):
    motion = cueing(name)
    drive = Drive(motion)
    for one in motion.tuner.parameters:
        low, high = one.free
        value = min(high, max(low, 0.97 * one.given if one.given else high))
        drive.send("washout_parameter", {"name": one.key, "index": one.index, "value": one.shown(value)})
    assert drive.questions == [] and len(drive.announced) > 30
    values = {one: motion.tuner.value(one) for one in motion.tuner.parameters}
    saved = yaml.safe_load(tuned_text(washout_mapping(name), values, 1.0))
    other = MotionCueing(saved, "saved", platform(), H)
    again = {(one.key, one.index): other.tuner.value(one) for one in other.tuner.parameters}
    assert again == {(one.key, one.index): value for one, value in values.items()}, "the same bits"
