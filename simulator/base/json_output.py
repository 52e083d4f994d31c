"""JSON output for other programs: output of commands with --json, and metrics of a run.

JSON (RFC 8259) has no NaN or Infinity, and strict readers reject a text that contains one. Such a number is written as null.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np


def json_text(value: Any, indent: int | None = None, in_order: bool = False) -> str:
    """Return a value as JSON.

    Parameters
    ----------
    value : mappings with names as keys, sequences, texts, numbers, None; NumPy arrays and numbers are written as lists and numbers
    indent : spaces per level; None: a single line
    in_order : True to sort the names, so that equal mappings give equal texts

    Raises
    ------
    TypeError : another type of value
    """
    return json.dumps(_plain(value), indent=indent, allow_nan=False, sort_keys=in_order)


def content_key(content: Any) -> bytes:
    """Return JSON bytes of plain content, sorted: a fast key for comparisons."""
    return msgspec.json.encode(content, order="sorted")


def _plain(value: Any) -> Any:
    """Return a value in JSON types."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
