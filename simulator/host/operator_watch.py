"""Watch of a drive on its operator: a lost page or a dead console has the effect that the session names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from simulator.configuration.session_file import ON_LOSS
from simulator.events.event import Event
from simulator.platform_supervisor import DOWN, report_loss
from simulator.session import Session

NEUTRAL, PARK_ON_LOSS, CONTINUE = ON_LOSS
SILENCE_TIME = 1.0
"""s without a heartbeat after which the driver sees a message."""
LOSS_TIME = 3.0
"""s without a heartbeat after which the platform moves to neutral, or parks."""


class OperatorWatch:
    """Watch on the cells of a console, see `simulator.console.state_block`.

    Parameters
    ----------
    cells : operator, operator_beats
    on_loss : CONTINUE, NEUTRAL or PARK_ON_LOSS
    send : receives the events of the loss
    warn : called with a line for the driver and the terminal

    Attributes
    ----------
    silent : True while no heartbeat arrives from an operator who has not handed over
    """

    def __init__(self, cells: Any, on_loss: str, send: Callable[[Event], object], warn: Callable[[str], None]) -> None:
        self._cells, self._on_loss, self._send, self._warn = cells, on_loss, send, warn
        self.silent = False
        self._lost = False
        self._beats, self._beaten_at = 0, 0.0

    def look(self, session: Session, now: float) -> None:
        """Look at the heartbeat; called a hundred times a second. `now`: time.monotonic."""
        beats = int(self._cells["operator_beats"])
        if beats != self._beats or not self._cells["operator"]:
            if self.silent and self._cells["operator"]:
                self._warn("the operator is back")
            self._beats, self._beaten_at = beats, now
            self.silent = self._lost = False
            return
        silence = now - self._beaten_at
        if silence > SILENCE_TIME and not self.silent:
            self.silent = True
            self._warn("the operator's page does not answer")
        if silence > LOSS_TIME and not self._lost:
            self._lost = True
            self._act(session)

    def _act(self, session: Session) -> None:
        """Bring a platform that is up to neutral, or park it. One that is stopped stays so."""
        if self._on_loss != CONTINUE and session.platform_state not in DOWN:
            platform = report_loss(session, self._send, parks=self._on_loss == PARK_ON_LOSS)
            self._warn(f"the operator is lost: the vehicle is paused, the platform {platform}")
