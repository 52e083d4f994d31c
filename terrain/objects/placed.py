"""Objects of a terrain file on its ground."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from simulator.base.errors import ConfigError
from simulator.base.values import Values
from terrain.ground import Ground
from terrain.objects.errors import ObjectError
from terrain.objects.kinds import GeneratorRequest, generate
from terrain.objects.object_set import ObjectSet
from terrain.objects.section import read_objects
from terrain.objects.table_file import read_object_table
from terrain.objects.world_object import WorldObject


def with_objects(ground: Ground, world: Values, folder: Path) -> Ground:
    """Return the ground with the objects of a terrain file: those of its list, of its table, then of its generators.

    Parameters
    ----------
    world : checked keys that all terrain files have
    folder : folder of the assets

    Raises
    ------
    ConfigError : an object cannot exist, two have the same name, or one stands on the start of the drive
    """
    objects: list[WorldObject] = [*ground.objects.objects]
    objects += read_objects(world["objects"], ground.height, folder, [one.name for one in objects])
    if "objects_table" in world:
        names = [one.name for one in objects]
        objects += read_object_table(world["objects_table"], world.file, ground.height, folder, names)
    for section in world["object_generators"]:
        so_far = replace(ground, objects=_object_set(objects, section.file, section.key))
        objects += generate(section["type"], GeneratorRequest(section, so_far, folder))
    if not objects:
        return ground
    return replace(ground, objects=_object_set(objects, world.file, "objects"))


def _object_set(objects: list[WorldObject], file: str, key: str) -> ObjectSet:
    """Return the set of objects. Raises ConfigError for two of the same name."""
    try:
        return ObjectSet(objects)
    except ObjectError as error:
        raise ConfigError(file, key, f"{len(objects)} objects", str(error)) from None
