"""Runner of a plugin outlet in a background thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.base.errors import JounceError
from simulator.base.plugin_thread import PluginThread

if TYPE_CHECKING:
    from simulator.session import Session
from simulator.outlets.contract import OutletSample, PluginOutlet


class OutletRunner:
    """Plugin outlet in a session."""

    label = "plugin"
    """Name of the outlet in messages."""

    def __init__(self, name: str, outlet: PluginOutlet, every: int) -> None:
        self.name, self.every = name, every
        self._outlet = outlet
        self._thread = PluginThread(f"outlet {name}", outlet.publish)

    @property
    def missed(self) -> int:
        """Number of publications missed because the previous one had not ended."""
        return self._thread.missed

    def publish(self, session: Session) -> None:
        """Pass a sample to the thread. Raises JounceError after the outlet was stopped."""
        self._thread.result(wait=session.clock is None)
        if self._thread.error:
            raise JounceError(self._thread.error)
        if self._thread.busy:
            return
        cueing = session.cueing
        self._thread.submit(
            OutletSample(
                session.time,
                session.readout.copy(),
                session.command.copy(),
                cueing.pose.copy(),
                cueing.legs.copy(),
                cueing.procedure.state,
                cueing.monitor.felt.copy(),
                {sensor.name: sensor.out.copy() for sensor in session.sensors},
                dict(session.measurements),
            )
        )

    def close(self) -> None:
        """Wait for the last publication and close the outlet, each within its time budget. Raises JounceError: the outlet failed."""
        if self._thread.error:
            return  # a stopped outlet is not called any more
        self._thread.result(wait=True)
        error: str = self._thread.error
        self._thread.close()
        if not error:
            closing = PluginThread(f"outlet {self.name}", self._outlet.close)
            closing.submit()
            closing.result(wait=True)
            error = closing.error
            closing.close()
        if error:
            raise JounceError(error)
