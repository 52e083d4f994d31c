"""Safe reading of XML files: no document types, no entities, no network; limits of size, depth and number of elements; lines for messages.

Prefixes of namespaces stay part of the names (`xacro:macro`), and a default namespace is ignored.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from pathlib import Path
from xml.parsers import expat

from simulator.base.errors import NOTHING, ConfigError, UnreadableError
from simulator.base.inputfile import read_bytes

MAX_BYTES = 1 << 27
"""Maximum size of a file [bytes]; the tree takes about ten times as much memory."""
MAX_DEPTH = 200
"""Maximum depth of elements inside one another; readers may descend recursively."""
MAX_ELEMENTS = 3_000_000
"""Maximum number of elements."""
GZIP = b"\x1f\x8b"
"""First bytes of a compressed file."""
LARGEST = 1e12
"""Largest magnitude of a number; larger ones overflow when they are multiplied."""


class XmlElement(ET.Element):
    """An element that knows its file and its line.

    Attributes
    ----------
    file : name of the file, for messages
    line : line of the start tag, from 1
    """

    __slots__ = ("file", "line")
    file: str
    line: int

    def error(self, name: str, value: object, expected: str) -> ConfigError:
        """Return an error about an attribute; with an empty name, about the element."""
        key = self.tag if self.get("id") is None else f"{self.tag}[@id={self.get('id')!r}]"
        return ConfigError(self.file, f"line {self.line}: {key}{'/@' if name else ''}{name}", value, expected)

    def word(self, name: str, default: str | None = None) -> str:
        """Return an attribute without blanks at its ends. Raises ConfigError: it is missing and has no default."""
        text = self.get(name, default)
        if text is None:
            raise self.error(name, NOTHING, "a text")
        return text.strip()

    def number(self, name: str, default: float | None = None, low: float = -LARGEST, high: float = LARGEST) -> float:
        """Return an attribute as a finite number from `low` to `high`. Raises ConfigError: it is none, or is missing and has no default."""
        text = self.get(name)
        if text is None and default is not None:
            return default
        value = number_of(text or "")
        if not low <= value <= high:
            limits = "" if (low, high) == (-LARGEST, LARGEST) else f" from {low:g} to {high:g}"
            raise self.error(name, NOTHING if text is None else text, f"a decimal value{limits}")
        return value

    def the(self, tag: str) -> XmlElement:
        """Return the first child with a tag. Raises ConfigError: there is none."""
        child = self.find(tag)
        if child is None:
            raise self.error("", f"no element <{tag}>", f"an element <{tag}>")
        return child  # type: ignore[return-value]

    def children(self) -> list[XmlElement]:
        """Return all elements inside, one level below."""
        return list(self)  # type: ignore[arg-type]

    def all(self, path: str) -> list[XmlElement]:
        """Return all elements of a path such as `lanes/laneSection`."""
        return self.findall(path)  # type: ignore[return-value]


def number_of(text: str) -> float:
    """Return the number of a text, NaN if it is none. Python's digit separators are no part of a number."""
    try:
        return math.nan if "_" in text else float(text)
    except ValueError:
        return math.nan


def read_xml(path: str | Path, root: str, expected: str, most: int = MAX_BYTES) -> XmlElement:
    """Read a file with a root element of this tag. Raises ConfigError: an unreadable or unsuitable file."""
    element = parse_xml(read_bytes(path, expected, most), path, expected)
    if element.tag != root:
        raise element.error("", f"<{element.tag}>", f"{expected}, with the root element <{root}>")
    return element


def parse_xml(content: bytes | str, file: object, expected: str) -> XmlElement:
    """Return the root element of an XML text. Raises ConfigError: not well-formed, a document type, too deep or too many elements.

    Parameters
    ----------
    content : bytes in the encoding that their declaration names; or a text, whose declaration is ignored
    file : name of the file, for messages
    expected : description of a valid file
    """
    parser = expat.ParserCreate("utf-8" if isinstance(content, str) else None)
    parser.buffer_text = True
    builder = ET.TreeBuilder(element_factory=XmlElement)
    name, depth, count = str(file), 0, 0
    if isinstance(content, bytes) and content.startswith(GZIP):
        raise UnreadableError(name, "", "compressed with gzip", f"{expected} (run gunzip)")

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth, count
        depth, count = depth + 1, count + 1
        if depth > MAX_DEPTH or count > MAX_ELEMENTS:
            problem = f"more than {MAX_DEPTH} elements inside one another" if depth > MAX_DEPTH else f"more than {MAX_ELEMENTS} elements"
            raise ConfigError(name, f"line {parser.CurrentLineNumber}", problem, expected)
        element: XmlElement = builder.start(tag, attributes)  # type: ignore[assignment]
        element.file, element.line = name, parser.CurrentLineNumber

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(tag)

    def refuse(*_: object) -> None:
        raise ConfigError(name, f"line {parser.CurrentLineNumber}", "a document type", f"{expected}, without document type and entities")

    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, builder.data
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = refuse
    try:
        parser.Parse(content.encode("utf-8", "replace") if isinstance(content, str) else content, True)
    except expat.ExpatError as error:
        raise UnreadableError(name, f"line {error.lineno}", f"not XML: {expat.ErrorString(error.code)}", expected) from None
    except (ValueError, LookupError) as error:  # an encoding that Python does not have
        raise UnreadableError(name, "", f"not XML: {error}", expected) from None
    return builder.close()  # type: ignore[return-value]
