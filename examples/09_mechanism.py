"""Sweep a slider-crank through one turn, then simulate its motion. Writes 09_mechanism_sweep.png and 09_mechanism_run.png."""

import numpy as np

import jounce

turn = np.radians(np.linspace(0.0, 360.0, 181))
swept = jounce.sweep_mechanism("slider_crank", "main bearing", turn)
stroke = np.ptp(swept["cylinder"])
print(f"{swept!r}: stroke {1e3 * stroke:.1f} mm, loops closed to {swept['closure'].max():.1e} m")
swept.plot("cylinder", "d(cylinder)/d(main bearing)", along="main bearing", file="09_mechanism_sweep.png")

run = jounce.run_mechanism("slider_crank", 0.2, step=1e-4)
drift = np.ptp(run["energy"] - 0.5 * run["main bearing"])
print(
    f"crank speed after 0.2 s: {run['rate of main bearing'][-1]:.1f} rad/s; energy minus work of the torque: constant within {drift:.1e} J"
)
run.plot("rate of main bearing", "cylinder", "energy", file="09_mechanism_run.png")
