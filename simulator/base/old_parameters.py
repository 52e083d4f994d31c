"""Parameters of plug-in kinds as in version 0.2: rows of a record, with the mappings `ranges` and `defaults`. Goes in version 0.4."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeVar

from simulator.base.errors import DeprecatedNameWarning
from simulator.base.field_records import fields_of
from simulator.base.fields import Field

Kind = TypeVar("Kind", bound=type)


def accepts_rows(defaults_after: str = "") -> Callable[[Kind], Kind]:
    """Let a kind also be created with the arguments of version 0.2, with a warning.

    Parameters
    ----------
    defaults_after : argument that preceded `defaults`, if the kind had them; `ranges` followed `parameters`
    """

    def decorate(cls: Kind) -> Kind:
        create = cls.__init__  # type: ignore[misc]
        names = [field.name for field in dataclasses.fields(cls)]
        for before, name in (("parameters", "ranges"), (defaults_after, "defaults")):
            if before:
                names.insert(names.index(before) + 1, name)

        @wraps(create)
        def __init__(self: Any, *args: Any, **given: Any) -> None:  # noqa: N807 (the name that Python calls)
            arguments = {**dict(zip(names, args, strict=False)), **given}
            rows = arguments.get("parameters", ())
            old = "ranges" in given or "defaults" in given or any(isinstance(one, Mapping) for one in args)
            if old or any(not isinstance(row, Field) for row in rows):
                ranges, defaults = arguments.pop("ranges", {}), arguments.pop("defaults", {})
                text = f"{cls.__name__} {arguments['name']}: rows, ranges and defaults: deprecated; use a table of Field (simulator.base.fields)"
                warnings.warn(text, DeprecatedNameWarning, stacklevel=2)
                if arguments.get("fields"):  # of a tire model whose record has other rows than its file
                    arguments |= {"table": rows, "parameters": arguments.pop("fields")}
                else:
                    arguments["parameters"] = fields_of(rows, ranges, defaults)
                create(self, **arguments)
            else:
                create(self, *args, **given)

        cls.__init__ = __init__  # type: ignore[misc]
        return cls

    return decorate
