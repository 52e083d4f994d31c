"""Any mechanism from a file: a slider-crank swept through a turn, then let go. Writes 09_mechanism_sweep.png and 09_mechanism_run.png."""

import numpy as np

import simulator as jounce

turn = np.radians(np.linspace(0.0, 360.0, 181))
swept = jounce.sweep_mechanism("slider_crank", "main bearing", turn)
stroke = np.ptp(swept["cylinder"])
print(f"{swept!r}: stroke {1e3 * stroke:.1f} mm, loops closed to {swept['closure'].max():.1e} m")
swept.plot("cylinder", "d(cylinder)/d(main bearing)", along="main bearing", file="09_mechanism_sweep.png")

run = jounce.run_mechanism("slider_crank", 0.2, step=1e-4)
drift = np.ptp(run["energy"] - 0.5 * run["main bearing"])
print(f"after 0.2 s the crank turns at {run['rate of main bearing'][-1]:.1f} rad/s; energy less the torque's work is kept to {drift:.1e} J")
run.plot("rate of main bearing", "cylinder", "energy", file="09_mechanism_run.png")
