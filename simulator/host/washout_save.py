"""File of a tuned washout: that of the drive with the present parameters, written without delay for the drive."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import yaml

from simulator.base.errors import NOTHING, ConfigError, OutputError
from simulator.telemetry.atomic_files import write_whole
from washout.online_tuning import OnlineTuner, TunableParameter

NAME = "washout_tuned_{}.yaml"
MAX_FILES = 1000
"""Maximum number of these files in a folder."""
MAX_WAITING = 4
"""Files that may wait to be written. Larger: a flood of requests takes the interpreter from the ticks for longer."""


class WashoutSave:
    """Writes tuned washouts into the folder of a drive.

    Parameters
    ----------
    content : content of the washout file, complete, with the keys of the user
    tuner : of the running washout
    folder : folder of the drive
    saved : called in another thread with file and text
    attempt : runs a function in another thread and reports what it raises
    refused : called in another thread with the reason if a file cannot be written
    """

    def __init__(
        self,
        content: Mapping[str, Any],
        tuner: OnlineTuner,
        folder: Path,
        saved: Callable[[Path, str], None],
        attempt: Callable[[Callable[[], None]], bool],
        refused: Callable[[str], None] = lambda reason: None,
    ) -> None:
        self._content, self._tuner, self._folder = content, tuner, folder
        self._saved, self._attempt, self._refused = saved, attempt, refused
        self._one_at_a_time = threading.Lock()
        self._threads: list[threading.Thread] = []

    def save(self) -> None:
        """Write the present parameters into a new file, in a thread. Raises ConfigError: the washout has none, or too many files wait."""
        tuner = self._tuner
        if not tuner.parameters:
            raise ConfigError("event", "save_washout", None, "a washout with parameters that can be changed while driving")
        values, intensity = {one: tuner.value(one) for one in tuner.parameters}, tuner.intensity
        self._threads = [one for one in self._threads if one.is_alive()]
        if len(self._threads) >= MAX_WAITING:
            raise ConfigError("event", "save_washout", NOTHING, f"less than {MAX_WAITING} files that are being written")
        thread = threading.Thread(target=self._attempt, args=(lambda: self._write(values, intensity),), name="tuned washout")
        self._threads.append(thread)
        thread.start()

    def _write(self, values: Mapping[TunableParameter, float], intensity: float) -> None:
        with self._one_at_a_time:
            text = tuned_text(self._content, values, intensity)
            file = next((one for n in range(1, MAX_FILES + 1) if not (one := self._folder / NAME.format(n)).exists()), None)
            if file is None:
                raise OutputError(f"{self._folder}: more than {MAX_FILES} tuned washouts")
            try:
                write_whole(file, lambda temporary: temporary.write_text(text, encoding="utf-8"))
            except OutputError as error:
                self._refused(str(error))
                raise
        self._saved(file, text)


def tuned_text(content: Mapping[str, Any], values: Mapping[TunableParameter, float], intensity: float) -> str:
    """Return the text of a washout file (YAML) with other values [SI] of parameters. Values that have not changed stay as they are written."""
    tuned = copy.deepcopy(dict(content))
    cueing = tuned["cueing"] = dict(tuned.get("cueing", {}))
    names = {one.name for one, value in values.items() if value != one.given}
    changed = []
    for name in sorted(names):
        entries = [(one, value) for one, value in values.items() if one.name == name]
        first = entries[0][0]
        numbers = [one.shown(value) for one, value in entries]
        _replace(cueing, first, numbers[0] if first.index is None else numbers)
        changed += [
            f"{one.words} {one.shown(one.given):g} -> {one.shown(value):g}{one.unit_text}" for one, value in entries if value != one.given
        ]
    head = "# Tuned in a drive of Jounce" + (": " + ", ".join(changed) if changed else ", without changes") + ".\n"
    if intensity != 1.0:
        head += f"# The motion intensity was {intensity:g}. It belongs to the session: intensity: {intensity:g}\n"
    return head + yaml.safe_dump(tuned, sort_keys=False, allow_unicode=True, width=130, default_flow_style=None)


def _replace(section: dict[str, Any], parameter: TunableParameter, value: Any) -> None:
    """Replace the value of a parameter at its position in a section, in any spelling of its key; add one that the section lacks."""
    spelled = [key for key in section if key in parameter.spellings]
    items = {parameter.key if key in spelled else key: value if key in spelled else one for key, one in section.items()}
    section.clear()
    section.update(items if spelled else {**items, parameter.key: value})
