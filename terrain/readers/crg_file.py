"""Parse an OpenCRG file: header, modifiers, options and channels, without interpretation.

Source of the layout: ASAM OpenCRG 1.2, chapter 6, and the behavior of its C library. Data start after a line of ``$``. A record contains one value per
channel at one position along the road. ``#:`` gives the form: L or K (records fill lines of 80 bytes, or are contiguous), R or D (single
or double precision), F or B (text of 10 or 20 columns, or big-endian numbers).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import NOTHING, ConfigError
from simulator.base.inputfile import as_utf8, read_bytes
from simulator.base.npy_reader import MAX_BYTES
from terrain.readers.request import HIGHEST, SUSPECTS

EXPECTED = "an OpenCRG file"
NUMBER = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eEdD][+-]?\d+)?)")
FORM = re.compile(r"#:\s*([LK])([RD])([FB])", re.IGNORECASE)
SECTION = re.compile(r"(\d+|at\s+v\s*=)\s*(.*)", re.IGNORECASE)
LINE = 80
"""Number of bytes of a line of data."""
MAX_TEXT = 1 << 28
"""Maximum bytes of data in text form, which needs ten times its size while it is read."""
MAX_INCLUDED = 4
"""Maximum depth of included files."""
TEXT_WIDTH = {"R": 10, "D": 20}
BINARY = {"R": ">f4", "D": ">f8"}
UNUSED = "**unused**"
REFERENCE = {"phi": "phi", "banking": "banking", "slope": "slope"}


@dataclass
class CrgFile:
    """Content of an OpenCRG file.

    Attributes
    ----------
    line : numbers of the section ROAD_CRG by lower-case key, without "reference_line_" and "long_section_"
    modifiers : entries of ROAD_CRG_MODS; None: the file has no such section
    options : entries of ROAD_CRG_OPTS
    v : (nv,) positions of the long sections, from right to left [m]
    z : (nu, nv) heights [m], NaN without data
    phi, banking, slope : (nu,) of the reference line, or None
    numbered : True if long sections are numbered at equal distances, False if each has its own position
    """

    path: Path
    line: dict[str, float] = field(default_factory=dict)
    modifiers: dict[str, float] | None = None
    options: dict[str, float] = field(default_factory=dict)
    form: str = ""
    channels: list[str] = field(default_factory=list)
    v: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    z: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 0), np.float32))
    phi: NDArray[np.float64] | None = None
    banking: NDArray[np.float64] | None = None
    slope: NDArray[np.float64] | None = None
    numbered: bool = False

    def wrong(self, given: object, expected: str) -> ConfigError:
        """Return a ConfigError about the content of the file."""
        return ConfigError(self.path, "", given, expected)


def read_crg_file(path: Path, depth: int = 0) -> CrgFile:
    """Read an OpenCRG file, with the files that it includes. Raises ConfigError for other, truncated or unsupported files."""
    content = as_utf8(read_bytes(path, EXPECTED, MAX_BYTES))
    out = CrgFile(path)
    lines, data = _split(content)
    for name, body in _sections(lines):
        _section(out, name, body, depth)
    if data is not None and not len(out.v):
        _read_data(out, data)
    if depth == 0 and not len(out.v):
        raise out.wrong("no data", "long sections after a line of $")
    return out


def _split(content: bytes) -> tuple[list[str], bytes | None]:
    """Return the lines of the header, and the data after the line of ``$``."""
    separator = re.search(rb"^\$\$\$\$[^\n]*\n", content, re.MULTILINE)
    head, data = (content, None) if separator is None else (content[: separator.start()], content[separator.end() :])
    return head.decode("latin-1").splitlines(), data


def _sections(lines: list[str]) -> list[tuple[str, list[str]]]:
    """Return sections by name, with their lines without comments."""
    out: list[tuple[str, list[str]]] = []
    for line in lines:
        if line.startswith("$"):
            out.append((line[1:].partition("!")[0].strip().lower(), []))
        elif out and line.strip() and not line.lstrip().startswith("*"):
            out[-1][1].append(line.partition("!")[0])
    return out


def _section(out: CrgFile, name: str, body: list[str], depth: int) -> None:
    """Store the content of one section."""
    if name == "road_crg":
        out.line |= {_short_key(key): value for key, value in _numbers(out, body).items()}
    elif name == "road_crg_mods":
        out.modifiers = _numbers(out, body)
    elif name == "road_crg_opts":
        out.options = _numbers(out, body)
    elif name == "kd_definition":
        _channels(out, body)
    elif name == "road_crg_file":
        _include(out, "".join(line.strip() for line in body), depth)


def _numbers(out: CrgFile, body: list[str]) -> dict[str, float]:
    """Parse lines ``KEY = number``."""
    values = {}
    for line in body:
        key, equals, value = line.partition("=")
        match = NUMBER.match(value)
        if not equals:
            continue
        if match is None:
            raise out.wrong(line.strip(), "KEY = a number")
        values[key.strip().lower()] = float(match[1].lower().replace("d", "e"))
    return values


def _short_key(key: str) -> str:
    """Return a key without the common prefix; banking and slope may be abbreviated or not."""
    short = key.removeprefix("reference_line_").removeprefix("long_section_")
    return re.sub(r"^(start|end)_([bs])\w*$", r"\1_\2", short)


def _channels(out: CrgFile, body: list[str]) -> None:
    """Read the form of the data and the channels."""
    for line in body:
        form = FORM.match(line.strip())
        if form is not None:
            out.form = "".join(form.groups()).upper()
        elif line.strip()[:2].upper() == "D:":
            out.channels.append(line.strip()[2:].strip().lower())
        elif line.strip()[:2] == "#:":
            raise out.wrong(line.strip(), "one of the forms of data KRBI, KDBI, LRFI, LDFI")


def _include(out: CrgFile, name: str, depth: int) -> None:
    """Merge the content of another file; modifiers and options of this file have priority."""
    if depth >= MAX_INCLUDED or "$" in name or Path(name).is_absolute() or ".." in Path(name).parts:
        raise out.wrong(name, f"the name of a file in the same folder, nested at most {MAX_INCLUDED} deep")
    inner = read_crg_file(out.path.parent / name, depth + 1)
    out.line = inner.line | out.line
    out.modifiers = inner.modifiers if out.modifiers is None else out.modifiers
    out.options = out.options or inner.options
    out.v, out.z, out.phi, out.banking, out.slope = inner.v, inner.z, inner.phi, inner.banking, inner.slope
    out.numbered = inner.numbered


def _read_data(out: CrgFile, data: bytes) -> None:
    """Read the records and store the channels. Raises ConfigError."""
    if "increment" not in out.line or not out.line["increment"] > 0.0:
        raise out.wrong(out.line.get("increment", NOTHING), "a REFERENCE_LINE_INCREMENT above 0")
    if not out.form or not out.channels:
        raise out.wrong("no data definition", "a section KD_DEFINITION with a form (#:) and channels (D:)")
    records = _text_records(out, data) if out.form[2] == "F" else _binary_records(out, data)
    if len(records) < 2:
        raise out.wrong(f"{len(records)} records", "at least 2 records")
    _store_channels(out, records)


def _announced_records(out: CrgFile) -> int | None:
    """Return the number of records according to the header, None if the header does not define the end."""
    if "end_u" not in out.line:
        return None
    length = (out.line["end_u"] - out.line.get("start_u", 0.0)) / out.line["increment"]
    if not 0.0 < length < 1e9:
        raise out.wrong(out.line["end_u"], "a REFERENCE_LINE_END_U after the start, by less than 1e9 increments")
    return int(length + 0.5) + 1


def _binary_records(out: CrgFile, data: bytes) -> NDArray[np.float64]:
    """Return (records, channels) of big-endian numbers."""
    kind = np.dtype(BINARY[out.form[1]])
    size = kind.itemsize * len(out.channels)
    stride = -(-size // LINE) * LINE if out.form[0] == "L" else size
    announced = _announced_records(out)
    count = len(data) // stride if announced is None else announced
    if announced is None and count and not data[(count - 1) * stride : count * stride].strip(b"\x00 "):
        count -= 1  # padding to complete lines may have the size of one more record
    if count * stride > len(data):
        raise out.wrong(f"{len(data)} bytes of data", f"{count} records of {stride} bytes (a transfer in text mode damages such files)")
    rows = np.frombuffer(data, np.uint8, count * stride).reshape(count, stride)[:, :size]
    return np.ascontiguousarray(rows).view(kind).astype(np.float64)


def _text_records(out: CrgFile, data: bytes) -> NDArray[np.float64]:
    """Return (records, channels) of numbers in columns."""
    width, n = TEXT_WIDTH[out.form[1]], len(out.channels)
    if len(data) > MAX_TEXT:
        raise out.wrong(f"{len(data)} bytes of text", f"at most {MAX_TEXT} bytes (use a binary form for larger roads)")
    lines = [line for line in data.decode("latin-1").splitlines() if line.strip()]
    if out.form[0] == "L":
        per_record = -(-n * width // LINE)
        complete, rest = divmod(len(lines), per_record)
        texts = ["".join(line.ljust(LINE) for line in lines[k * per_record : (k + 1) * per_record]) for k in range(complete)]
    else:
        joined = "".join(lines)
        complete, rest = divmod(len(joined), n * width)
        texts = [joined[k * n * width : (k + 1) * n * width] for k in range(complete)]
    announced = _announced_records(out)
    if rest or (announced is not None and complete != announced):
        raise out.wrong(
            f"{complete} records{' and an incomplete one' if rest else ''}", f"{announced or 'complete'} records of {n} channels"
        )
    fields = [[text[k * width : (k + 1) * width] for k in range(n)] for text in texts]
    return np.array([[_field(out, one) for one in row] for row in fields], np.float64).reshape(complete, n)


def _field(out: CrgFile, text: str) -> float:
    """Return one value; NaN for a marker of missing data."""
    try:
        return float(text.lower().replace("d", "e"))
    except ValueError:
        if text == UNUSED:
            return 0.0
        if "*" in text or "nan" in text.lower():
            return float("nan")
        raise out.wrong(text, "a number, or * for missing data, in each field") from None


def _store_channels(out: CrgFile, records: NDArray[np.float64]) -> None:
    """Store channels as long sections and curves of the reference line. Raises ConfigError."""
    places, columns, numbered = [], [], []
    for column, text in enumerate(out.channels):
        name, _, unit = (part.strip() for part in text.partition(","))
        if name.startswith("long section"):
            place, by_number = _place(out, name.removeprefix("long section").strip())
            if not unit.startswith("m"):
                raise out.wrong(text, "a long section in m")
            places.append(place)
            columns.append(column)
            numbered.append(by_number)
        elif name.startswith("reference line"):
            what = REFERENCE.get(name.removeprefix("reference line").strip())
            if what is None:
                raise out.wrong(text, "a reference line given by phi (x, y or u are not supported)")
            setattr(out, what, records[:, column])
    if len(places) < 2 or len(set(numbered)) > 1:
        raise out.wrong(f"{len(places)} long sections", "at least 2 long sections, all numbered or all with a position (at v = ...)")
    order = np.argsort(places)
    v = np.array(places)[order]
    out.numbered = numbered[0]
    if out.numbered:
        v = _numbered(out, v)
    if not np.isfinite(v).all() or not (np.diff(v) > 1e-6).all():
        raise out.wrong(v.tolist(), "long sections more than 1e-6 m apart")
    out.v, out.z = v, _heights(out, records[:, np.array(columns)[order]])
    for curve in (out.phi, out.banking, out.slope):
        if curve is not None and not np.isfinite(curve[1:]).all():
            raise out.wrong("NaN along the reference line", "finite phi, banking and slope")


def _heights(out: CrgFile, z: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return the heights [m] of the long sections, NaN for missing data. Raises ConfigError for heights that are none."""
    beyond = (np.abs(z) > HIGHEST) | np.isin(z, SUSPECTS)
    if beyond.any():
        record, section = np.argwhere(beyond)[0]
        given = f"{z[record, section]:g} m in long section {section + 1} of record {record + 1}"
        raise out.wrong(given, f"heights within {HIGHEST:g} m, or NaN (in text **********) for missing data")
    if np.isnan(z).all():
        raise out.wrong("only missing data", "at least one height")
    return z.astype(np.float32)


def _place(out: CrgFile, text: str) -> tuple[float, bool]:
    """Return position or number of a long section, and True if it is a number."""
    match = SECTION.match(text)
    value = NUMBER.match(match[2] if match and not match[1].isdigit() else text)
    if match is None or value is None:
        raise out.wrong(text, "the number of a long section, or at v = POSITION")
    return float(value[1]), match[1].isdigit()


def _numbered(out: CrgFile, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the positions of numbered long sections. Without LONG_SECTION_V_RIGHT the first one is at 0, as in the library."""
    entries, count = out.line, len(numbers)
    if (numbers != np.arange(1, count + 1)).any():
        raise out.wrong(numbers.tolist(), "long sections 1, 2, 3 ...")
    step = entries.get("v_increment")
    if step is None and {"v_right", "v_left"} <= set(entries):
        step = (entries["v_left"] - entries["v_right"]) / (count - 1)
    if step is None:
        raise out.wrong(NOTHING, "LONG_SECTION_V_INCREMENT, because the long sections have numbers")
    return np.asarray(entries.get("v_right", 0.0) + np.arange(count) * step, np.float64)
