"""Run an outlet of a plugin in its own thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.base.errors import JounceError
from simulator.base.plugin_thread import PluginThread

if TYPE_CHECKING:
    from simulator.session import Session
from simulator.outlets.contract import OutletSample, PluginOutlet


class OutletRunner:
    """An outlet from outside in a session."""

    def __init__(self, name: str, outlet: PluginOutlet, every: int) -> None:
        self.name, self.every = name, every
        self._outlet = outlet
        self._aside = PluginThread(f"outlet {name}", outlet.publish)

    @property
    def missed(self) -> int:
        """Publications that came before the last one had ended."""
        return self._aside.late

    def publish(self, session: Session) -> None:
        """Hand over what there is. Raises JounceError once it was dropped."""
        self._aside.answer(wait=session.clock is None)
        if self._aside.trouble:
            raise JounceError(self._aside.trouble)
        if self._aside.busy:
            return
        cueing = session.cueing
        self._aside.ask(
            OutletSample(
                session.time,
                session.readout.copy(),
                session.command.copy(),
                cueing.pose.copy(),
                cueing.legs.copy(),
                cueing.state,
                cueing.felt.copy(),
                {sensor.name: sensor.out.copy() for sensor in session.sensors},
            )
        )

    def close(self) -> None:
        """Let the last publication end, and close the outlet; neither is waited for longer than its budget. Raises JounceError: it failed."""
        if self._aside.trouble:
            return  # whatever it is doing, it is not asked for anything more
        self._aside.answer(wait=True)
        trouble: str = self._aside.trouble
        self._aside.close()
        if not trouble:
            ending = PluginThread(f"outlet {self.name}", self._outlet.close)
            ending.ask()
            ending.answer(wait=True)
            trouble = ending.trouble
            ending.close()
        if trouble:
            raise JounceError(trouble)
