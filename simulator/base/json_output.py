"""The one place that writes JSON for other programs to read: what a command prints with --json, and metrics of a run.

JSON has no word for numbers that are not finite, and readers that keep to it (RFC 8259) refuse the whole text for a single NaN or Infinity.
Such a number is written as null: there is none.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np


def json_text(value: Any, indent: int | None = None, in_order: bool = False) -> str:
    """`value` as JSON.

    Parameters
    ----------
    value : mappings with names as keys, sequences, texts, numbers, None; arrays and numbers of NumPy as lists and numbers
    indent : spaces per level; None: all in one line
    in_order : whether names stand in the order of their letters, so that equal mappings have equal texts

    Raises
    ------
    TypeError : something in it is none of these
    """
    return json.dumps(_plain(value), indent=indent, allow_nan=False, sort_keys=in_order)


def content_key(content: Any) -> bytes:
    """The same of plain contents, quickly: for telling whether they are equal."""
    return msgspec.json.encode(content, order="sorted")


def _plain(value: Any) -> Any:
    """The same with nothing but what JSON knows."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
