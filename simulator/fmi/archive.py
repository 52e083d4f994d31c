"""Writer of the archive of an FMU: description, script, content, and the binaries that run Python in the host."""

from __future__ import annotations

import hashlib
import io
import json
import re
import tempfile
import uuid
import zipfile
from collections.abc import Mapping, Sequence
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from simulator.base.errors import JounceError
from simulator.base.installation import install_extra
from simulator.base.json_output import json_text
from simulator.base.machine import version
from simulator.fmi.content import CONTENT, FILES
from simulator.fmi.description import Description, describe
from simulator.fmi.units import model_of

PACKAGES = {2: "pythonfmu", 3: "pythonfmu3"}
"""Package with the binaries of each version of FMI."""
BINARIES = (".so", ".dll", ".dylib")
_DATE = (1980, 1, 1, 0, 0, 0)
"""Date of all files: equal units are equal archives."""
_NAMESPACE = uuid.UUID("6f2c1b7e-95d7-4c3c-8a3a-1f0f4d1a9be2")
_SCRIPT = '''"""Script of an FMU of Jounce for FMI {fmi}.0. Everything else is in the package jounce of the Python that the host loads."""

import sys

try:
    import jounce
    from jounce.simulator.fmi.units import {slave}
except BaseException as error:  # an exception here would end the host
    PROBLEM = f"jounce: the Python of this host cannot import jounce {version} ({{error!r}}); hint: install the wheel or checkout of Jounce {version} into it"

    class {slave}:
        __module__ = "jounce_unit"  # the binary looks for a name with a dot

        def __init__(self, **arguments):
            print(PROBLEM, file=sys.stderr)
            raise RuntimeError(PROBLEM)

# pythonfmu 0.7.0 runs this file at every instantiation, and releases the names of its module once too often: keep one more reference
NAMES = vars(sys.modules["{module}"])
NAMES.setdefault("KEPT", []).append(NAMES)


class Unit({slave}):
    pass
'''


def archives(name: str, meaning: str, content: Mapping[str, Any], files: Mapping[str, Path], versions: Sequence[int]) -> dict[int, bytes]:
    """Return the bytes of an FMU for each version of FMI.

    Parameters
    ----------
    name : name of the model
    meaning : one-line description
    content : "kind" and what its model needs; the model is created as in a host, from nothing else
    files : files in the folder FILES by their names there
    versions : 2, 3 or both

    Raises JounceError: the content cannot be used, or a package is missing.
    """
    for fmi in versions:
        if find_spec(PACKAGES[fmi]) is None:
            raise JounceError(f"FMI {fmi}.0: the package {PACKAGES[fmi]} is missing; hint: {install_extra('fmi')}")
    resources = {CONTENT: json_text({"version": version(), **content}).encode()}
    resources |= {f"{FILES}/{one}": path.read_bytes() for one, path in files.items()}
    with tempfile.TemporaryDirectory(prefix="jounce_fmu_") as folder:
        for one, data in resources.items():
            file = Path(folder, one)
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(data)
        model = model_of(json.loads(resources[CONTENT]), Path(folder))
        model.close()
    digest = hashlib.sha256(b"".join(resources.values())).hexdigest()
    identifier = re.sub("[^0-9A-Za-z]", "_", f"jounce_{content['kind']}_{name}")
    token = f"{{{uuid.uuid5(_NAMESPACE, digest)}}}"
    about = Description(name, identifier, meaning, token, f"Jounce {version()}", model.step, model.variables)
    return {fmi: _archive(about, resources, fmi) for fmi in versions}


def _archive(about: Description, resources: Mapping[str, bytes], fmi: int) -> bytes:
    """Return the bytes of an FMU with these resources and its script."""
    module = f"jounce_fmi{fmi}_unit"
    script = _SCRIPT.format(fmi=fmi, module=module, slave=f"Fmi{fmi}Slave", version=version())
    inside = {**resources, "slavemodule.txt": module.encode(), f"{module}.py": script.encode()}
    members = {"modelDescription.xml": describe(about, fmi), **{f"resources/{name}": data for name, data in inside.items()}}
    package = PACKAGES[fmi]
    for file in metadata.files(package) or ():
        if file.suffix in BINARIES and file.parent.parent.name == "binaries":
            members[f"binaries/{file.parent.name}/{about.identifier}{file.suffix}"] = Path(file.locate()).read_bytes()
        elif file.parent.name == "licenses":
            members[f"documentation/licenses/{package}_{file.name}"] = Path(file.locate()).read_bytes()
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as out:
        for name, data in members.items():
            out.writestr(zipfile.ZipInfo(name, _DATE), data, zipfile.ZIP_DEFLATED)
    return stream.getvalue()
