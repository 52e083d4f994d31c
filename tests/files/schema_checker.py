"""The part of JSON Schema (draft 2020-12) that our schemas use, checked word by word; a word that is none of it is an error of the schema."""

import re

KNOWN = {
    "$schema", "title", "description", "default", "type", "enum", "const", "pattern", "minimum", "maximum", "exclusiveMinimum",
    "exclusiveMaximum", "items", "minItems", "maxItems", "properties", "required", "additionalProperties", "propertyNames",
    "minProperties", "allOf", "anyOf", "oneOf", "not", "x-unit", "x-frame",
}  # fmt: skip
TYPES = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "boolean": lambda v: isinstance(v, bool),
    "integer": lambda v: isinstance(v, int | float) and not isinstance(v, bool) and v == int(v),
    "number": lambda v: isinstance(v, int | float) and not isinstance(v, bool),
}


def complaints(schema, value, place=""):
    """What a schema has against a value: key paths with words."""
    assert set(schema) <= KNOWN, set(schema) - KNOWN
    if "type" in schema and not TYPES[schema["type"]](value):
        return [f"{place}: no {schema['type']}"]
    found = []
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{place}: none of {schema['enum']}")
    if "const" in schema and value != schema["const"]:
        found.append(f"{place}: not {schema['const']}")
    if isinstance(value, str) and "pattern" in schema and not re.search(schema["pattern"], value):
        found.append(f"{place}: pattern")
    if isinstance(value, int | float):
        limits = (("minimum", value >= schema.get("minimum", value)), ("maximum", value <= schema.get("maximum", value)))
        strict = (
            ("exclusiveMinimum", value > schema.get("exclusiveMinimum", -9e99)),
            ("exclusiveMaximum", value < schema.get("exclusiveMaximum", 9e99)),
        )
        found += [f"{place}: {word}" for word, good in (*limits, *strict) if not good]
    if isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            found.append(f"{place}: number of items")
        found += [one for n, item in enumerate(value) for one in complaints(schema.get("items", {}), item, f"{place}[{n}]")]
    if isinstance(value, dict):
        found += _of_object(schema, value, place)
    for word, good in (("allOf", all), ("anyOf", any), ("oneOf", lambda each: sum(each) == 1)):
        parts = [complaints(part, value, place) for part in schema.get(word, ())]
        if parts and not good([not part for part in parts]):
            found += min((part for part in parts if part), key=len, default=[f"{place}: {word}"])
    if "not" in schema and not complaints(schema["not"], value, place):
        found.append(f"{place}: not")
    return found


def _of_object(schema, value, place):
    found = [f"{place}.{name}: missing" for name in schema.get("required", ()) if name not in value]
    if len(value) < schema.get("minProperties", 0):
        found.append(f"{place}: too few names")
    properties, rest = schema.get("properties", {}), schema.get("additionalProperties", {})
    for name, item in value.items():
        if name in properties:
            found += complaints(properties[name], item, f"{place}.{name}")
        elif rest is False:
            found.append(f"{place}.{name}: unknown")
        else:
            found += complaints(rest, item, f"{place}.{name}")
        found += complaints(schema.get("propertyNames", {}), name, f"{place}: the name {name}")
    return found
