"""What a run leaves behind: the channels of the telemetry, the writer, the reader and the folder of a run."""
