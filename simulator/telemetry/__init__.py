"""Telemetry of a run: channels, writer, reader and run folder."""
