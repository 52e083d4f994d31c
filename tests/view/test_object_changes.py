"""Do removed, broken and added objects reach every view, also one that opens late?"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from simulator.host.view_supervisor import ViewSupervisor
from simulator.view.make_object_data import make_object_data
from simulator.view.object_changes import SPARE, ChangedObjects, ObjectChanges, ObjectTable, size_of
from simulator.view.object_culling import ObjectItems
from simulator.view.object_follower import ObjectFollower
from simulator.view.shared_state import ViewReader, ViewWriter, extras
from terrain.objects.object_set import ObjectSet
from terrain.objects.paths import Path as ObjectPath
from terrain.objects.world_object import Box, Breakaway, Cylinder, WorldObject
from tests.view.scenes import readout

ROOT = Path(__file__).resolve().parents[2]
LYING = np.array(((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (-1.0, 0.0, 0.0)))
"""Axes of an object that has fallen forward."""


def changes(*rows: int, present: bool = True, x: float = 0.0) -> ObjectChanges:
    n = len(rows)
    return ObjectChanges(
        np.array(rows), np.full(n, present), np.full(n, True), np.full(n, 2.5),
        np.full((n, 3), x), np.full((n, 3, 3), 0.5 * x), np.full((n, 3), -x), np.full((n, 3), 2.0 * x),
    )  # fmt: skip


def world() -> ObjectSet:
    """Rows 0 and 2 are fixed, 1 and 3 may break off."""
    post, box = Cylinder(0.05, 1.0), Box((1.0, 1.0, 1.0))
    motions = (None, Breakaway(5.0), None, Breakaway(9.0))
    return ObjectSet(
        WorldObject(f"o{k}", box if motion is None else post, (float(k), 0.0, 0.0), motion=motion) for k, motion in enumerate(motions)
    )


def test_a_view_takes_what_was_put_and_a_late_one_all_of_it():
    memory = memoryview(bytearray(size_of(10)))
    host, view = ObjectTable(memory, 0, 10), ObjectTable(memory, 0, 10)
    assert len(view.take().rows) == 0
    host.put(changes(7, 2, x=1.0))
    host.put(changes(2, x=3.0))
    host.put(changes(10, 4, present=False))
    seen = view.take()
    assert seen.rows.tolist() == [2, 4, 7] and seen.present.tolist() == [True, False, True], "row 10 does not fit"
    assert seen.p_WO[:, 1].tolist() == [3.0, 0.0, 1.0] and seen.v_WO[0].tolist() == [-3.0] * 3
    assert seen.R_WO[0].tolist() == [[1.5] * 3] * 3 and seen.w_WO[0].tolist() == [6.0] * 3 and seen.time.tolist() == [2.5] * 3
    assert len(view.take().rows) == 0
    host.put(changes(2, x=4.0))
    host._begin[2] += 1
    assert len(view.take().rows) == 0, "that row is being written"
    host._begin[2] -= 1
    assert view.take().rows.tolist() == [2] and len(view.take().rows) == 0
    assert view.take(all_of_them=True).rows.tolist() == [2, 4, 7]
    assert ObjectTable(memory, 0, 10).take().rows.tolist() == [2, 4, 7]


def test_only_objects_that_changed_are_sent():
    objects, found = world().for_session(), ChangedObjects()
    assert len(found.take(objects, 0.0).rows) == 0
    objects.states[1]["broken"], objects.states[1]["p_WO"], objects.states[1]["v_WO"] = 1, (3.5, 0, 0.2), (5, 0, 1)
    sent = found.take(objects, 1.25)
    assert sent.rows.tolist() == [3] and sent.p_WO.tolist() == [[3.5, 0.0, 0.2]] and sent.v_WO.tolist() == [[5.0, 0.0, 1.0]]
    assert sent.present.tolist() == sent.moved.tolist() == [True] and sent.time.tolist() == [1.25]
    assert len(found.take(objects, 1.26).rows) == 0, "it stands"
    objects.states[1]["R_WO"], objects.states[1]["w_WO"] = LYING, (0.0, 2.0, 0.0)
    sent = found.take(objects, 1.265)
    assert sent.rows.tolist() == [3] and sent.R_WO[0].tolist() == LYING.tolist() and sent.w_WO.tolist() == [[0.0, 2.0, 0.0]]
    objects.states[1]["p_WO"][0] = 3.6
    objects.remove(1)
    sent = found.take(objects, 1.27)
    assert sorted(zip(sent.rows.tolist(), sent.present.tolist(), sent.moved.tolist(), strict=True)) == [(0, False, False), (3, True, True)]
    objects.reset()
    sent = found.take(objects, 0.0)
    assert sent.rows.tolist() == [3] and sent.p_WO.tolist() == [[3.0, 0.0, 0.0]], "it was put back"
    assert sent.R_WO[0].tolist() == np.eye(3).tolist() and not sent.w_WO.any()
    assert len(found.take(objects, 0.0).rows) == 0


def test_an_object_that_has_left_its_path_stands_in_the_view():
    points = np.array([(0.0, 0.0, 0.0), (0.0, 8.0, 0.0), (8.0, 8.0, 0.0)])
    path = ObjectPath(points, speeds=np.full(3, 2.0), breakaway=Breakaway(75.0))
    objects, found = ObjectSet([WorldObject("person", Box((0.4, 0.6, 1.8)), (0, 0, 0), motion=path)]).for_session(), ChangedObjects()
    items = ObjectItems(make_object_data(objects), 10**6, np.ones((3, 4), np.int64))
    assert len(found.take(objects, 1.0).rows) == 0
    items.place(6.0)
    assert items.position[0] == pytest.approx((4.0, 8.0, 0.0))
    objects.states[0]["broken"], objects.states[0]["p_WO"], objects.states[0]["R_WO"] = 1, (3.0, 9.0, 0.1), LYING
    sent = found.take(objects, 6.0)
    assert sent.rows.tolist() == [0] and sent.moved.tolist() == [True]
    for view in (items, ObjectItems(items.data, 10**6, np.ones((3, 4), np.int64))):
        view.apply(sent)
        view.place(9.0)
        assert view.position[0].tolist() == [3.0, 9.0, 0.1] and view.rotation[0].tolist() == LYING.tolist()
    objects.reset()
    items.apply(found.take(objects, 0.0))
    items.place(1.0)
    assert items.position[0] == pytest.approx((0.0, 2.0, 0.0)), "it walks again"


def test_added_objects_continue_the_rows():
    objects, found = world().for_session(), ChangedObjects()
    objects.remove(3)
    objects.states[0]["broken"], objects.states[0]["p_WO"] = 1, (1.5, 0.0, 0.0)
    assert found.take(objects, 0.0).rows.tolist() == [2, 1]
    more = objects.with_added([WorldObject("new", Cylinder(0.1, 1.0), (9, 0, 0), motion=Breakaway(2.0))], objects.world)
    assert len(found.take(more, 0.1).rows) == 0
    more.states[2]["broken"], more.states[2]["p_WO"] = 1, (9.5, 0.0, 0.0)
    more.remove(5)
    sent = found.take(more, 0.2)
    assert sent.rows.tolist() == [4, 4] and not sent.present.any() and sent.p_WO[0].tolist() == [9.5, 0.0, 0.0]
    late = ChangedObjects().take(more, 0.3)
    assert sorted(late.rows.tolist()) == [1, 2, 4, 4], "a new follower sees everything"


class Shown:
    """Scene that notes what it shall show."""

    def __init__(self) -> None:
        self.count, self.rows = -1, []

    def show_objects(self, data) -> None:
        self.count, self.rows = len(data), []

    def move_objects(self, some: ObjectChanges) -> None:
        self.rows += some.rows.tolist()


def session_of(objects: ObjectSet) -> SimpleNamespace:
    return SimpleNamespace(objects=objects, readout=readout())


@pytest.fixture
def supervisor():
    ground = SimpleNamespace(is_soft=False, objects=world())
    one = ViewSupervisor(8, lambda text: None, lambda event: None, 0.0, person=False, ground=ground)
    yield one
    one.close()


def test_a_window_follows_the_objects_of_a_drive(supervisor):
    session = session_of(world().for_session())
    first, reader = Shown(), ViewReader(supervisor.block.name)
    follower = ObjectFollower(reader, supervisor.drive_lock.folder)
    supervisor.window._show_objects(session)
    follower.update(first)
    assert first.rows == [] and first.count == -1, "the window has the objects of the ground already"
    session.objects.states[0]["broken"] = 1
    supervisor.window._show_objects(session)
    follower.update(first)
    assert first.rows == [1]
    box = WorldObject("new", Box((1, 1, 1)), (0, 0, 0))
    session.objects = session.objects.with_added([box], session.objects.world)
    session.objects.remove(5)
    supervisor.window._show_objects(session)
    supervisor._saving.result(60.0)  # a thread writes the objects
    late, second = Shown(), ViewReader(supervisor.block.name)
    for shown, follow in ((first, follower), (late, ObjectFollower(second, supervisor.drive_lock.folder))):
        follow.update(shown)
        assert shown.count == 5 and sorted(shown.rows) == [1, 4]
        follow.update(shown)
        assert len(shown.rows) == 2
    for one in (reader, second):
        one.close()


def test_more_added_objects_than_rows_are_no_error(supervisor):
    session = session_of(world().for_session())
    supervisor.window._show_objects(session)
    crowd = [WorldObject(f"n{k}", Box((1, 1, 1)), (0, 0, 0)) for k in range(SPARE + 2)]
    session.objects = session.objects.with_added(crowd, session.objects.world)
    for number in (4 + SPARE, 5 + SPARE):
        session.objects.remove(number)
    supervisor.window._show_objects(session)
    reader = ViewReader(supervisor.block.name)
    assert reader.changed_objects().rows.tolist() == [3 + SPARE], "the last row of the table"
    reader.close()


def test_states_ruts_and_objects_share_a_block():
    writer = ViewWriter(soft=True, wheels=6, objects=3)
    reader = ViewReader(writer.name)
    try:
        assert writer.objects is not None
        writer.objects.put(changes(3 + SPARE - 1, x=7.0))
        from simulator.base.records import record, sized
        from vehicles.readout import READOUT

        state = record(sized(READOUT, wheels=6))
        state[0]["time"] = 4.0
        writer.publish(state, extras())
        assert reader.read() and reader.last[0]["time"] == 4.0 and len(reader.new_ruts().places) == 0
        assert reader.changed_objects().p_WO.tolist() == [[7.0] * 3]
    finally:
        reader.close()
        writer.close()


def test_a_view_process_needs_no_compiler():
    """The window opens before the kernels are compiled, and it must not spend their memory."""
    code = (
        "import sys, simulator.view.window, simulator.view.frame_writer, simulator.view.object_culling; "
        "print(sorted(name for name in ('numba', 'scipy') if name in sys.modules))"
    )
    out = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60)
    assert out.stdout.strip() == "[]"


def test_the_data_of_the_present_set_say_who_is_gone():
    objects = world().for_session()
    objects.remove(2)
    assert make_object_data(objects).present.tolist() == [True, False, True, True]
