"""Parameter estimation from measurements, and optimization of metrics; both run sweeps iteratively."""
