"""One run faster than real time: run, series, rerun, info."""
