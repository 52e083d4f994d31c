"""JSON Schemas (draft 2020-12) generated from the tables of files, for editors and other programs.

Only the readers check relations between keys, such as the order of two stops. Units and frames are in `x-unit` and `x-frame`.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from simulator.base.fields import (
    REQUIRED,
    Anything,
    Choice,
    Either,
    Field,
    Fields,
    FieldType,
    Flag,
    Group,
    ListOf,
    Named,
    Number,
    Text,
    Variants,
)
from simulator.base.json_output import content_key, json_text
from simulator.base.records import ABOVE_ZERO
from simulator.base.units import SHOWN, factor_of, tidy
from simulator.maneuvers.parameters import REFERENCE, WithParameters
from vehicles.suspension.axle_table import FieldUnlessFile

DRAFT = "https://json-schema.org/draft/2020-12/schema"

Schema = dict[str, Any]


MAX_REPEATED_LENGTH = 400
"""Maximum length in characters of a repeated part that is not replaced by a reference."""
REFERENCED: Schema = {"type": "string", "pattern": REFERENCE.replace("^", r"^(?=.*\$)", 1)}
"""Reference to a parameter, or a product with one."""

CHANGES: Schema = {
    "type": "object",
    "properties": {"base": {"type": "string", "pattern": "\\S", "description": "file that this file modifies"}},
    "required": ["base"],
}
"""Schema of a file with a base. The other keys are checked after merging."""


def file_schema(name: str, description: str, table: FieldType, based: bool) -> Schema:
    """Return the schema of a kind of files; `based` allows a base."""
    schema = schema_of(table)
    if isinstance(table, WithParameters):
        schema = _with_references(schema)
    shared, definitions = _extract_repeated({"anyOf": [schema, CHANGES]} if based else schema)
    return {
        "$schema": DRAFT,
        "title": f"Jounce: {name}",
        "description": description,
        **shared,
        **({"$defs": definitions} if definitions else {}),
    }


def _with_references(schema: Any) -> Any:
    """Return a schema that also allows references to parameters in place of numbers and words."""
    if isinstance(schema, list):
        return [_with_references(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if schema.get("type") in ("number", "integer") or "enum" in schema:
        annotations = {key: schema[key] for key in ("description", "default", "x-unit", "x-frame") if key in schema}
        return {**annotations, "anyOf": [{key: value for key, value in schema.items() if key not in annotations}, REFERENCED]}
    return {key: value if key in ("default", "required") else _with_references(value) for key, value in schema.items()}


def _extract_repeated(schema: Schema) -> tuple[Any, Schema]:
    """Return the schema with references in place of large repeated parts, and these parts by name."""
    schema = json.loads(json_text(schema))  # in JSON types once, instead of for each part
    counts: Counter[bytes] = Counter()
    _count(schema, counts)
    names = {text: f"part{n}" for n, text in enumerate(text for text, times in counts.items() if times > 1)}
    definitions = {name: _named(json.loads(text), names, inside=True) for text, name in names.items()}
    return _named(schema, names), definitions


def _count(schema: Any, counts: Counter[bytes]) -> None:
    if isinstance(schema, list):
        for one in schema:
            _count(one, counts)
    elif isinstance(schema, dict):
        text = content_key(schema)
        if len(text) > MAX_REPEATED_LENGTH and ("type" in schema or "oneOf" in schema or "anyOf" in schema):
            counts[text] += 1
            if counts[text] > 1:
                return  # the inner parts have been counted
        for key, value in schema.items():
            if key != "default":
                _count(value, counts)


def _named(schema: Any, names: Mapping[bytes, str], inside: bool = False) -> Any:
    if isinstance(schema, list):
        return [_named(one, names) for one in schema]
    if not isinstance(schema, dict):
        return schema
    name = names.get(content_key(schema))
    if name and not inside:
        return {"$ref": f"#/$defs/{name}"}
    return {key: value if key == "default" else _named(value, names) for key, value in schema.items()}


def schema_of(kind: FieldType, suffix: str = "") -> Schema:
    """Return the schema of the value of a key with the suffix of a unit, or without one."""
    if isinstance(kind, Number):
        return _number(kind, suffix)
    if isinstance(kind, Text):
        pattern = kind.pattern.replace("\\Z", "$") or ("" if kind.empty else "\\S")
        return {"type": "string", **({"pattern": pattern} if pattern else {})}
    if isinstance(kind, Choice):
        return {"enum": list(kind.names())}
    if isinstance(kind, Flag):
        return {"type": "boolean"}
    if isinstance(kind, Group):
        return _object(kind.fields)
    if isinstance(kind, ListOf):
        return {"type": "array", "items": schema_of(kind.item, suffix), **_limits("Items", kind.least, kind.most)}
    if isinstance(kind, Named):
        names = {"propertyNames": {"enum": list(kind.known)}} if kind.known and not kind.unless else {}
        return {"type": "object", "additionalProperties": schema_of(kind.item), **_limits("Properties", kind.least, None), **names}
    if isinstance(kind, Either):
        return {"anyOf": [schema_of(one, suffix) for one in (kind.with_unit(suffix) if suffix else kind).kinds]}
    if isinstance(kind, Variants):
        return {"type": "object", "oneOf": [_variant(kind, name) for name in kind.choice().names()]}
    assert isinstance(kind, Anything), kind
    return {}


def _number(kind: Number, suffix: str) -> Schema:
    factor = factor_of(kind.unit, suffix) if suffix else 1.0
    assert factor is not None
    out: Schema = {"type": "integer" if kind.whole else "number"}
    least, above = (None, 0.0) if kind.least == ABOVE_ZERO else (kind.least, kind.above)
    limits = (("minimum", least), ("exclusiveMinimum", above), ("maximum", kind.most), ("exclusiveMaximum", kind.below))
    out |= {name: tidy(limit / factor) for name, limit in limits if limit is not None and math.isfinite(limit)}
    one = out
    for length in reversed(kind.shape):
        least_items, most_items = (length, length) if isinstance(length, int) else length
        out = {"type": "array", "items": out, "minItems": least_items, "maxItems": most_items}
    return {"anyOf": [one, out]} if kind.repeats else out


def _limits(noun: str, least: int, most: int | None) -> Schema:
    return {**({f"min{noun}": least} if least else {}), **({} if most is None else {f"max{noun}": most})}


def _object(fields: Fields) -> Schema:
    """Return the schema of an object with the keys of a table: each key in any spelling, in one spelling only."""
    properties: Schema = {}
    required: list[str] = []
    once: list[Schema] = []
    for field in fields:
        spelled = field.spellings
        properties |= {written: _described(field, suffix) for written, suffix in spelled.items()}
        if len(spelled) > 1:
            once.append(
                {"oneOf": [*({"required": [written]} for written in spelled), *([] if field.default is REQUIRED else [_none_of(spelled)])]}
            )
        elif field.default is REQUIRED:
            required.append(field.name)
        if isinstance(field, FieldUnlessFile):
            once.append({"anyOf": [{"required": [written]} for written in ("file", *spelled)]})
        if isinstance(field.kind, Named) and field.kind.unless:
            names = {"properties": {field.name: {"propertyNames": {"enum": list(field.kind.known)}}}}
            once.append({"anyOf": [*({"required": [key]} for key in field.kind.unless), names]})
    return {
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
        **({"required": required} if required else {}),
        **({"allOf": once} if once else {}),
    }


def _none_of(spelled: Iterable[str]) -> Schema:
    return {"not": {"anyOf": [{"required": [written]} for written in spelled]}}


def plain(value: Any) -> Any:
    """Return a default as a JSON value; None if JSON cannot represent it."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, dict):
        return dict(value)
    return None


def _described(field: Field, suffix: str) -> Schema:
    out = {"description": field.meaning, **schema_of(field.kind, suffix)}
    unit = SHOWN.get(suffix, suffix) or field.unit
    if unit not in ("", "1"):
        out["x-unit"] = unit
    if field.frame:
        out["x-frame"] = field.frame
    default = plain(field.default)
    if default is not None and not suffix:
        out["default"] = default
    return out


def _variant(kind: Variants, name: str) -> Schema:
    """Return the schema of one variant. A plugin without a table may have any other keys."""
    fields = kind.fields(name)
    out: Schema = {"type": "object", "properties": {}} if fields is None else _object(fields)
    out["properties"][kind.key] = {"description": kind.meaning, "const": name}
    if name not in (kind.default, *kind.implied.values()):
        out["required"] = sorted({*out.get("required", ()), kind.key})
    return out
