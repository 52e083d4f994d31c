"""Pages of the start screen: choice and start, devices with live values, calibration of a device."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping

from simulator.base.errors import JounceError
from simulator.driver.input_devices.calibration import Calibration, profile_file, raw_axes, save_profile
from simulator.driver.input_devices.device_profiles import load_profiles, profile_folders, user_profiles_folder
from simulator.driver.input_devices.devices import Device, DeviceHub
from simulator.start_screen.choice import first_options, options_of, shown_rows
from simulator.start_screen.last_drive import LastDrivePages
from simulator.view.key_bindings import MENU_KEYS, driving_keys_text, key_text
from simulator.view.menu import Bar, Menu, Option, PlainPage, Row, stepped
from simulator.view.settings_pages import SETTINGS_NOTE, KeysPage, LiveSettings, SettingsPage

QUESTION_LINES, QUESTION_WIDTH = 2, 60
"""Rows of a question, so that the other rows keep their places, and its characters per row."""
MORE_OPTION = Option("more \u2026", "all vehicles or terrains: variants, test planes, obstacles")
"""Option that shows the others."""
PICTURES_NOTE = "left, right: change \u00b7 Enter: all, with their pictures"
"""Note of a row that shows the description of its value next to the picture."""
LABELS = {"course_vehicle": "Vehicle", "maneuver_vehicle": "Vehicle", "maneuver_terrain": "Terrain"}


class Devices:
    """Input devices of this computer for the start screen; without SDL there are none.

    Attributes
    ----------
    trouble : why there are none, or the last failure; empty if they work
    """

    def __init__(self) -> None:
        self.hub: DeviceHub | None = None
        self.trouble = ""
        self.open()

    def open(self) -> None:
        """Open the devices with the profiles that exist now."""
        self.close()
        try:
            self.hub = DeviceHub(load_profiles(profile_folders())[0])
            self.trouble = ""
        except JounceError as error:
            self.trouble = str(error).partition("\n")[0]

    def poll(self) -> None:
        """Read the devices."""
        if self.hub is not None:
            self.hub.poll()

    def menu_keys(self) -> list[str]:
        """Return the keys of the menu that were pressed on the devices before the last `poll`."""
        return [] if self.hub is None else [key for key in self.hub.menu_keys if key in MENU_KEYS]

    def found(self) -> list[Device]:
        """Return the devices."""
        return [] if self.hub is None else list(self.hub.devices.values())

    def close(self) -> None:
        """Close the devices."""
        if self.hub is not None:
            self.hub.close()
            self.hub = None


class StartPage(PlainPage):
    """First page: drive, the last drive, the choice, the way to the other pages, quit.

    Attributes
    ----------
    choice : values of the rows
    """

    title = "Jounce"

    def __init__(
        self,
        choice: Mapping[str, str],
        live: LiveSettings,
        devices: Devices,
        menu: Callable[[], Menu],
        drive: Callable[[], None],
        recorded: LastDrivePages | None = None,
    ) -> None:
        self.choice, self._first_choice = dict(choice), dict(choice)
        self._live, self._devices, self._menu, self._drive, self._recorded = live, devices, menu, drive, recorded
        self.first = 0 if recorded is None else len(recorded.head())
        self._options = {row: options_of(row, value) for row, value in self.choice.items()}

    def rows(self) -> list[Row]:
        """Return the rows."""
        keys = self._live.value.keys
        how = f"{driving_keys_text(keys)}: drive \u00b7 {key_text('menu', keys)}: menu \u00b7 {key_text('help', keys)}: all keys"
        menu, recorded = self._menu, self._recorded
        again = recorded is not None and recorded.exists and self.choice == self._first_choice
        return [
            *([] if recorded is None else recorded.head()),
            Row("Drive again" if again else "Drive", note=how, choose=self._drive),
            *([] if recorded is None else recorded.rows()),
            *(self._row(row) for row in shown_rows(self.choice)),
            Row("Devices", self._found(), "steering wheels, pedals, game controllers: live values, calibration", self._open_devices),
            Row("Keys", note="list of all keys; change them", choose=lambda: menu().open(KeysPage(self._live, menu))),
            Row("Settings", note=SETTINGS_NOTE, choose=lambda: menu().open(SettingsPage(self._live, menu))),
            Row("Quit", choose=lambda: menu().back()),
        ]

    def _row(self, row: str) -> Row:
        options, value = self._options[row], self.choice[row]
        label = LABELS.get(row, row.capitalize())
        names = [option.name for option in first_options(row, options, value)]
        shown = next((option for option in options if option.name == value), Option(value))
        return Row(
            label,
            value,
            PICTURES_NOTE if shown.picture else shown.note,
            choose=lambda: self._open_options(row, label),
            step=lambda way: self._take(row, stepped(names, value, way)),
            picture=shown.picture,
            text=shown.note if shown.picture else "",
        )

    def _open_options(self, row: str, label: str) -> None:
        """Show the options of a row: first those with pictures, if the row has any."""
        options, value = self._options[row], self.choice[row]
        first = first_options(row, options, value)
        if len(first) == len(options):
            self._menu().open_options(label, options, value, lambda name: self._take(row, name))
            return

        def take(name: str) -> None:
            if name != MORE_OPTION.name:
                self._take(row, name)
                return
            self._menu().open_options(label, options, value, lambda name: self._take(row, name))

        self._menu().open_options(label, [*first, MORE_OPTION], value, take)

    def _take(self, row: str, value: str) -> None:
        self.choice[row] = value

    def _found(self) -> str:
        devices = self._devices.found()
        if not devices:
            return "keyboard only"
        return devices[0].handle.name if len(devices) == 1 else f"{len(devices)} devices"

    def _open_devices(self) -> None:
        self._menu().open(DevicesPage(self._devices, self._menu))


class DevicesPage(PlainPage):
    """Devices with live values of their controls and raw axes."""

    title = "Devices"

    def __init__(self, devices: Devices, menu: Callable[[], Menu]) -> None:
        self._devices, self._menu = devices, menu

    def rows(self) -> list[Row]:
        """Return the rows of all devices."""
        rows = [Row("Back", choose=lambda: self._menu().back())]
        for device in self._devices.found():
            rows += self._rows_of(device)
        if self._devices.trouble:
            rows.append(Row(self._devices.trouble, note=self._devices.trouble, warns=True))
        elif len(rows) == 1:
            rows.append(Row("No wheel, pedals or game controller found. The keyboard drives.", selectable=False))
            rows.append(Row("A device may be connected now; it appears here.", selectable=False))
        return rows

    def _rows_of(self, device: Device) -> list[Row]:
        profile = device.profile
        name = "no profile yet" if profile is None else profile.name
        note = "move wheel and pedals: the bars follow. Enter: calibrate this device, which creates a profile for it"
        rows = [Row(device.handle.name, name, note, choose=lambda: self._calibrate(device), warns=profile is None)]
        steering = device.steering()
        if steering is not None:
            rows.append(Row("    steering", f"{steering:+.2f}", bar=Bar(steering, signed=True)))
        rows += [
            Row(f"    {pedal}", f"{device.pedal(pedal):.2f}", bar=Bar(device.pedal(pedal)))
            for pedal in ("throttle", "brake", "clutch")
            if profile is not None and getattr(profile, pedal) is not None
        ]
        rows += [
            Row(f"    axis {number}", f"{value:+.2f}", "raw value, right positive as in SDL", bar=Bar(-value, signed=True))
            for number, value in enumerate(raw_axes(device))
        ]
        return rows

    def _calibrate(self, device: Device) -> None:
        self._menu().open(CalibrationPage(self._devices, device, self._menu))


class CalibrationPage(PlainPage):
    """Questions of a calibration, one after the other; Esc ends without a file."""

    title = "Calibration"
    first = QUESTION_LINES

    @property
    def listens(self) -> bool:
        """True: the questions ask for buttons."""
        return True

    def __init__(self, devices: Devices, device: Device, menu: Callable[[], Menu]) -> None:
        assert devices.hub is not None
        self._devices, self._device, self._menu = devices, device, menu
        self._calibration = Calibration(devices.hub, device)
        self._steps = self._calibration.questions()
        self._question = next(self._steps)
        self._answer = ""
        self._result = ""

    def rows(self) -> list[Row]:
        """Return the question and the live axes."""
        if self._result:
            return [Row(self._result, note=self._result), Row("Back", choose=lambda: self._menu().back())]
        lines = (*textwrap.wrap(self._question, QUESTION_WIDTH), "", "")[:QUESTION_LINES]
        note = "do what the question says, hold it, then press Enter; Esc: end without a file"
        rows = [Row(line, selectable=False) for line in lines]
        rows.append(Row("Next", self._answer or self._calibration.pressed, note, choose=self._next))
        rows += [
            Row(f"    axis {number}", f"{value:+.2f}", note, choose=self._next, bar=Bar(-value, signed=True))
            for number, value in enumerate(raw_axes(self._device))
        ]
        return rows

    def take_key(self, key: str) -> bool:
        """Take the digits of a number."""
        digit = key.removeprefix("NUM_")
        if len(digit) == 1 and digit.isdigit() and not self._result:
            self._answer += digit
            return True
        if key == "BACKSPACE":
            self._answer = self._answer[:-1]
            return True
        return False

    def _next(self) -> None:
        answer, self._answer = self._answer, ""
        try:
            self._question = self._steps.send(answer)
        except StopIteration as end:
            self._finish(end.value)
        except JounceError as error:
            self._result = str(error)

    def _finish(self, profile: dict[str, object]) -> None:
        folder = user_profiles_folder()
        if folder is None:
            self._result = "no home folder for the profile; hint: set HOME"
            return
        file = profile_file(self._device, folder)
        try:
            save_profile(file, profile)
        except JounceError as error:
            self._result = str(error).partition("\n")[0]
            return
        self._result = f"saved in {file}"
        self._devices.open()
