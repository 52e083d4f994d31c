"""Effects of events on a drive: the commands that may be sent to it, and the controls of the motion cueing."""
