"""What may be asked of a drive: analyses, each a table of parameters, the numbers that come out, and a function of the telemetry."""
