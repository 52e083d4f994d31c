"""Lines of a drive for the user, and its failures, after which the drive goes on."""

from __future__ import annotations

import signal
from collections.abc import Callable

from simulator.base.errors import JounceError
from simulator.base.progress_line import ProgressLine
from simulator.base.signals import StopRequest
from simulator.host.drive_view import DriveView
from simulator.run.folder import RunFolder
from simulator.session import PartError


class DriveMessages:
    """Lines and failures of a drive.

    Parameters
    ----------
    say, complain : called with a line, and with the line of a failure
    view : its window shows failures
    stop_request : receives an interruption inside of `attempt`
    """

    def __init__(self, say: Callable[[str], None], complain: Callable[[str], None], view: DriveView, stop_request: StopRequest) -> None:
        self.say, self.complain = say, complain
        self.folder: RunFolder | None = None
        """Folder of the tracebacks of bugs."""
        self.troubles: list[str] = []
        """Failures so far, one line each; a drive with failures is not a success."""
        self._view, self._stop_request = view, stop_request

    def write_over(self, progress: ProgressLine) -> None:
        """Let the lines from now on replace the line of the progress."""
        self.say, self.complain = progress.over(self.say), progress.over(self.complain)

    def attempt(self, part: Callable[[], None]) -> bool:
        """Run a step of the drive; log what it raises, so that the next step follows. Return whether it was completed."""
        try:
            part()
            return True
        except KeyboardInterrupt:
            self._stop_request(signal.SIGINT)
        except BaseException as error:
            self.note(error)
        return False

    def note(self, error: BaseException) -> None:
        """Report a failure in one line, and save the traceback of a bug in the run folder."""
        text = str(error) if isinstance(error, JounceError) else f"{type(error).__name__}: {error}"
        file = self.folder.note_failure(error) if self.folder is not None and _is_a_bug(error) else None
        self.trouble(f"{text} (traceback in {file})" if file else text)

    def trouble(self, text: str) -> None:
        """Report a failure."""
        self.troubles.append(text)
        self.complain(text)
        if self._view.window is not None:
            self._view.window.message = text


def _is_a_bug(error: BaseException) -> bool:
    """Return whether the traceback is of interest: the error is none that the user can fix."""
    return not isinstance(error.__cause__ if isinstance(error, PartError) else error, JounceError)
