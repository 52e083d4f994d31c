"""Objects of a view process: changes from the view block, and new sets from the folder of the drive."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from simulator.view.launch import OBJECTS_FILE
from simulator.view.object_changes import ObjectChanges
from simulator.view.object_data import ObjectData
from simulator.view.shared_state import ViewReader


class ShowsObjects(Protocol):
    """Part of a scene that draws objects."""

    def show_objects(self, data: ObjectData) -> None:
        """Show other objects."""

    def move_objects(self, changes: ObjectChanges) -> None:
        """Move or remove objects."""


class ObjectFollower:
    """Keeps the objects of a scene up to date.

    Parameters
    ----------
    reader : of the view block
    folder : of the drive
    """

    def __init__(self, reader: ViewReader, folder: Path) -> None:
        self._reader, self._file = reader, folder / OBJECTS_FILE
        self._sets = 0

    def update(self, scene: ShowsObjects) -> None:
        """Show the present objects."""
        sets = self._reader.object_sets
        if sets != self._sets:
            self._sets = sets
            scene.show_objects(ObjectData.load(self._file))
            scene.move_objects(self._reader.changed_objects(all_of_them=True))
        scene.move_objects(self._reader.changed_objects())
