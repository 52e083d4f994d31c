"""Generators of objects by the `type` of an entry of `object_generators` in a terrain file: built-in generators and plugins.

A generator returns `WorldObject`s for a ground: trees of a forest, houses of a street, the obstacles of a course. Shapes are fixed, so a
new generator needs no compilation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simulator.base.errors import ConfigError, JounceError
from simulator.base.fields import Field, Fields, ListOf, Variants
from simulator.base.registry import Registry
from simulator.base.values import Values
from terrain.ground import Ground
from terrain.objects.errors import ObjectError
from terrain.objects.world_object import WorldObject

CONTRACT = 1
"""Version of the classes below."""


@dataclass(frozen=True)
class GeneratorRequest:
    """Arguments of a generator."""

    values: Any
    """Checked keys of its section, in SI units; the raw section if the kind has no table."""
    ground: Ground
    """Ground with the objects so far; `ground.height(x, y)` is its height."""
    folder: Path
    """Folder of the assets."""


@dataclass(frozen=True)
class ObjectGeneratorKind:
    """A registered generator."""

    name: str
    generate: Callable[[GeneratorRequest], Sequence[WorldObject]]
    """Function that returns the objects; raises ConfigError for keys that contradict each other. Equal arguments give equal objects."""
    contract: int
    """Version of the contract (CONTRACT) that the generator implements."""
    table: Fields | None = None
    """Fields of its section, which are then checked and converted to SI; None: the generator checks the section itself."""
    meaning: str = ""
    """One line for a list of generators."""


OBJECT_GENERATOR_KINDS: Registry[ObjectGeneratorKind] = Registry(
    "object generator",
    "jounce.terrain_objects",
    {"scatter": "terrain.objects.scatter:SCATTER", "row": "terrain.objects.row:ROW"},
    contract="terrain.objects.kinds",
)
_NOUN = "a generator (of a plugin: --plugin FILE.py), one of"
GENERATORS = Field(
    "object_generators",
    ListOf(
        Variants(
            "type",
            lambda name: OBJECT_GENERATOR_KINDS.need(name).table,
            OBJECT_GENERATOR_KINDS.names,
            "generator of objects",
            noun=_NOUN,
        )
    ),
    "generators of objects, in this order: objects at random places, in a row, or by a plugin",
    (),
)
"""Field of all terrain files."""
register = OBJECT_GENERATOR_KINDS.add
"""Register a generator of objects."""


def generate(name: str, request: GeneratorRequest) -> list[WorldObject]:
    """Return the objects of the generator `name`.

    Raises
    ------
    ConfigError : unusable keys, or an impossible object
    JounceError : a plugin raised another exception, or returned something else than objects
    """
    kind = OBJECT_GENERATOR_KINDS.need(name)
    values: Values = request.values
    if OBJECT_GENERATOR_KINDS.is_builtin(name):
        return list(kind.generate(request))
    try:
        found = list(kind.generate(request))
    except JounceError:
        raise
    except Exception as error:
        raise JounceError(f"object generator {name}: {type(error).__name__}: {error}") from error
    for one in found:
        if not isinstance(one, WorldObject):
            raise JounceError(f"object generator {name}: wrong type {type(one).__name__} in its result; expected WorldObject")
        try:
            one.check()
        except ObjectError as error:
            raise ConfigError(getattr(values, "file", name), getattr(values, "key", ""), one.name, str(error)) from None
    return found
