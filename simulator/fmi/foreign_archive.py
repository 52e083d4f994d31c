"""Archive of an FMU of others: checked, and unpacked into a temporary folder. Nothing in it is run here."""

from __future__ import annotations

import hashlib
import io
import re
import stat
import tempfile
import zipfile
import zlib
from pathlib import Path
from typing import Any
from xml.parsers import expat

from simulator.base.console import print_error
from simulator.base.errors import ConfigError, JounceError, UnreadableError, one_line
from simulator.base.inputfile import read_bytes
from simulator.base.installation import install_extra

EXPECTED = "an FMU (.fmu)"
MAX_ARCHIVE, MAX_UNPACKED = 256 << 20, 1 << 30
"""bytes. Maximum size of an archive, and of its files together. Larger: a hostile file may fill the disk."""
MAX_FILES = 5000
MAX_DESCRIPTION, MAX_DEPTH = 16 << 20, 32
"""Maximum size [bytes] and depth of the model description."""
DESCRIPTION = "modelDescription.xml"
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_announced: set[str] = set()
"""Digests of the FMUs that this process has announced."""


def unpack(file: Path) -> tuple[tempfile.TemporaryDirectory[str], Any]:
    """Return a temporary folder with the contents of an FMU, and its model description (of FMPy).

    The first use in a process prints that an FMU runs foreign code.

    Raises
    ------
    JounceError : the package fmpy is missing
    ConfigError : the file is no FMU for co-simulation on this machine, or it exceeds the limits
    """
    try:
        import fmpy
    except ImportError:
        raise JounceError(f"FMU: the package fmpy is missing; hint: {install_extra('fmi')}") from None
    data = read_bytes(file, EXPECTED, MAX_ARCHIVE)
    folder = tempfile.TemporaryDirectory(prefix="jounce_fmu_", ignore_cleanup_errors=True)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            _check_members(archive, file)
            description = archive.read(DESCRIPTION)
            _check_description(description, file)
            archive.extractall(folder.name)
    except KeyError:
        raise ConfigError(file, DESCRIPTION, "an archive without it", EXPECTED) from None
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, OSError) as error:
        raise UnreadableError(file, "", one_line(getattr(error, "strerror", None) or str(error)) or "damaged", EXPECTED) from None
    try:
        about = fmpy.read_model_description(folder.name)
    except Exception as error:  # FMPy and lxml raise many kinds, for each of which the file is to blame
        raise ConfigError(file, DESCRIPTION, one_line(str(error))[:300], "a valid model description of FMI 2.0 or 3.0") from None
    _check_use(about, Path(folder.name), file)
    digest = hashlib.sha256(data).hexdigest()
    if digest not in _announced:
        _announced.add(digest)
        print_error(f"{file}: an FMU runs foreign code on this machine (SHA-256 {digest[:16]}...)")
    return folder, about


def _check_members(archive: zipfile.ZipFile, file: Path) -> None:
    """Check number, sizes and names of the files in an archive. Raises ConfigError."""
    members = archive.infolist()
    if len(members) > MAX_FILES:
        raise ConfigError(file, "", f"{len(members)} files", f"at most {MAX_FILES} files in an FMU")
    total = sum(one.file_size for one in members)
    if total > MAX_UNPACKED:
        raise ConfigError(file, "", f"{total} bytes unpacked", f"at most {MAX_UNPACKED} bytes")
    for one in members:
        parts = one.filename.rstrip("/").split("/")
        bad = any(part in ("", ".", "..") for part in parts) or any(mark in one.filename for mark in "\\:\0")
        if bad or stat.S_ISLNK(one.external_attr >> 16):
            raise ConfigError(file, "", one_line(one.filename)[:200], "names of files inside the archive")


def _check_description(description: bytes, file: Path) -> None:
    """Check that a model description has no document type, whose entities may expand to gigabytes. Raises ConfigError."""
    if len(description) > MAX_DESCRIPTION:
        raise ConfigError(file, DESCRIPTION, f"{len(description)} bytes", f"at most {MAX_DESCRIPTION} bytes")
    parser, depth = expat.ParserCreate(), 0

    def refuse(*_: Any) -> None:
        raise ConfigError(file, DESCRIPTION, "a document type (DOCTYPE)", "XML without it")

    def begin(*_: Any) -> None:
        nonlocal depth
        depth += 1
        if depth > MAX_DEPTH:
            raise ConfigError(file, DESCRIPTION, f"more than {MAX_DEPTH} nested elements", "a model description")

    def end(_: str) -> None:
        nonlocal depth
        depth -= 1

    parser.StartDoctypeDeclHandler, parser.EntityDeclHandler = refuse, refuse
    parser.StartElementHandler, parser.EndElementHandler = begin, end
    try:
        parser.Parse(description, True)
    except expat.ExpatError as error:
        raise UnreadableError(file, DESCRIPTION, str(error), "XML") from None


def _check_use(about: Any, folder: Path, file: Path) -> None:
    """Check that an FMU is for co-simulation and has a binary for this machine. Raises ConfigError."""
    import fmpy

    if not about.fmiVersion.startswith(("2.", "3.")):
        raise ConfigError(file, "fmiVersion", about.fmiVersion, "2.0 or 3.0")
    if about.coSimulation is None:
        raise ConfigError(file, "", "an FMU for model exchange only", "an FMU for co-simulation")
    name = about.coSimulation.modelIdentifier
    if not _IDENTIFIER.fullmatch(name):
        raise ConfigError(file, "modelIdentifier", name, "an identifier")
    platform = fmpy.platform if about.fmiVersion.startswith("2.") else fmpy.platform_tuple
    if not (folder / "binaries" / platform / f"{name}{fmpy.sharedLibraryExtension}").is_file():
        binaries = folder / "binaries"
        present = ", ".join(sorted(one.name for one in binaries.iterdir())) if binaries.is_dir() else "none"
        raise ConfigError(file, "binaries", present, f"a binary for this machine, {platform}")
