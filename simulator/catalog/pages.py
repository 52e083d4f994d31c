"""Pages of the file reference in Markdown, out of the same tables by which files are read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

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
from simulator.base.units import SHOWN, SUFFIXES, factor_of, tidy
from simulator.catalog.file_kinds import KINDS, FileKind
from simulator.catalog.json_schema import plain
from simulator.catalog.metrics_page import metrics_page

HEAD = "| key | value | range | default | what it is |\n|---|---|---|---|---|\n"
NOTE = "Made by `jounce schema --markdown`; change the tables in the code, not this page.\n"


def pages() -> dict[str, str]:
    """Content of all pages by the name of the file."""
    return {
        "README.md": _index(),
        "units.md": _units(),
        "metrics.md": f"{metrics_page()}\n{NOTE}",
        **{f"{kind.name}.md": page(kind) for kind in KINDS},
    }


def page(kind: FileKind) -> str:
    """The page of one kind of files."""
    title = f"# {kind.name.replace('_', ' ').capitalize()}\n\nFiles in `configs/{kind.folder}`: {kind.what}.\n\n"
    how = "Keys without a unit are in SI; [units.md](units.md) has the units that may stand behind a key.\n"
    shipped = ", ".join(f"`{file.stem}`" for file in kind.files())
    sections = "".join(_sections(kind.table, "", {}))
    return f"{title}{how}\nShipped: {shipped}.\n{sections}\n{NOTE}"


def _sections(kind: FieldType, path: str, told: dict[str, str]) -> Iterator[str]:
    """The tables of a section and of all that lie in it; `told` are those that the page has already, with their headings."""
    if isinstance(kind, Variants):
        for name in kind.choice().names():
            fields = kind.fields(name)
            if fields is not None and len(fields) > 1:  # besides the deciding key
                yield from _table(fields, path, f"`{kind.key}: {name}`", told)
    elif isinstance(kind, Group):
        yield from _table(kind.fields, path, "", told)
    elif isinstance(kind, ListOf):
        yield from _sections(kind.item, f"{path}[]", told)
    elif isinstance(kind, Named):
        yield from _sections(kind.item, f"{path}.NAME", told)
    elif isinstance(kind, Either):
        for one in kind.kinds:
            yield from _sections(one, path, told)


def _table(fields: Fields, path: str, variant: str, told: dict[str, str]) -> Iterator[str]:
    heading = ", ".join(part for part in (f"`{path}`" if path else "", variant) if part)
    rows = "".join(_row(field) for field in fields)
    whole = rows + "".join(text for field in fields for text in _sections(field.kind, field.name, {}))  # what lies in it may be another
    if whole in told:
        if told[whole] != heading:
            yield f"\n{heading}: as {told[whole]}.\n"
        return
    told[whole] = heading
    yield f"\n## {heading}\n\n{HEAD}" if heading else f"\n{HEAD}"
    yield rows
    for field in fields:
        yield from _sections(field.kind, f"{path}.{field.name}" if path else field.name, told)


def _row(field: Field) -> str:
    others = ", ".join(f"`{key}`" for key in field.also)
    meaning = field.meaning + (f"; in {field.frame}" if field.frame else "") + (f" (also {others})" if others else "")
    cells = (f"`{field.usual}`", value_words(field.kind, field.written), range_words(field.kind, field.written), _default(field), meaning)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"


def value_words(kind: FieldType, suffix: str = "") -> str:
    """What stands behind a key, in a few words."""
    if isinstance(kind, Number):
        return f"{kind.noun(suffix)}{', whole' if kind.whole else ''}{', rising' if kind.rising else ''}"
    if isinstance(kind, Text):
        return "text"
    if isinstance(kind, Choice):
        return "one of " + ", ".join(f"`{name}`" for name in kind.names())
    if isinstance(kind, Flag):
        return "`true` or `false`"
    if isinstance(kind, (Group, Variants)):
        return "section"
    if isinstance(kind, ListOf):
        return f"list: each {value_words(kind.item, suffix)}"
    if isinstance(kind, Named):
        return f"names, each with: {value_words(kind.item)}"
    if isinstance(kind, Either):
        return ", or ".join(value_words(one, suffix) for one in kind.kinds)
    assert isinstance(kind, Anything)
    return "anything"


def range_words(kind: FieldType, suffix: str = "") -> str:
    """Range of the numbers behind a key."""
    if isinstance(kind, Number):
        return kind.range_text(suffix)
    if isinstance(kind, ListOf):
        return range_words(kind.item, suffix)
    if isinstance(kind, Either):
        return " / ".join(dict.fromkeys(words for one in kind.kinds if (words := range_words(one, suffix))))
    return ""


def _default(field: Field) -> str:
    if field.default is REQUIRED:
        return "required"
    value = plain(field.default)
    if value is None or value in ([], {}):
        return "-"
    if isinstance(value, (int, float)) and not isinstance(value, bool) and field.written:
        value = tidy(value / _factor(field))
    return f"`{_yaml(value)}`"


def _factor(field: Field) -> float:
    factor = factor_of(field.unit, field.written)
    assert factor is not None
    return factor


def _yaml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:g}"
    return f"[{', '.join(map(_yaml, value))}]" if isinstance(value, list) else str(value)


def _index() -> str:
    lines = "".join(f"| [{kind.name}]({kind.name}.md) | `configs/{kind.folder}` | {kind.what} |\n" for kind in KINDS)
    return (
        "# File reference\n\nEvery key of every file, out of the tables by which the files are read. `jounce check FILE` checks a file by"
        " them, `jounce schema` writes them as JSON Schemas, `jounce list` says what there is.\n\n"
        f"| kind | folder | what it describes |\n|---|---|---|\n{lines}\n"
        "All kinds: [units behind keys](units.md), [metrics](metrics.md); how names are looked up: [files.md](../files.md).\n\n" + NOTE
    )


def _units() -> str:
    rows = "".join(
        f"| {unit} | {', '.join(f'`_{suffix}`' for suffix in suffixes)} | {', '.join(_one(suffix, unit, f) for suffix, f in suffixes.items())} |\n"
        for unit, suffixes in SUFFIXES.items()
    )
    return (
        "# Units behind keys\n\nA number whose SI unit stands in the first column may be written bare, then in SI, or with one of these"
        " behind its key, in large or small letters: `mass: 2086`, `mass_lb: 4600`; `speed_kph: 50`. Both at once is an error.\n\n"
        f"| SI unit | behind the key | in SI |\n|---|---|---|\n{rows}\n" + NOTE
    )


def _one(suffix: str, unit: str, factor: float) -> str:
    return f"1 {SHOWN.get(suffix, suffix)} = {factor:.7g}" + ("" if unit == "m/m" else f" {unit}")
