"""A soil of one's own: the same pedal on a road, on a sandy loam and on a wet clay from files beside this script.

Writes 05_own_soil.png: speed and sinkage.
"""

from pathlib import Path

from matplotlib.figure import Figure

import simulator as jounce

GROUNDS = {"road": "flat", "sandy loam": "flat_soil", "wet clay": str(Path(__file__).parent / "files" / "wet_field.yaml")}

figure = Figure(figsize=(8.0, 5.0), layout="constrained")
above, below = figure.subplots(2, 1, sharex=True)
for name, terrain in GROUNDS.items():
    sim = jounce.Simulation("hmmwv", terrain, channels=["v_WB_B_x", "sinkage", "slip_ratio"])
    sim.command(throttle=0.6)
    sim.advance(8.0)
    log = sim.log
    sinkage = 1e3 * log.field("sinkage").mean(axis=1)
    print(
        f"{name:<10} {log['v_WB_B_x'][-1]:5.2f} m/s after 8 s, wheels {sinkage[-1]:.0f} mm deep, slip {log.field('slip_ratio')[-1].mean():.3f}"
    )
    above.plot(log["time"], log["v_WB_B_x"], label=name)
    below.plot(log["time"], sinkage, label=name)
above.set(ylabel="speed [m/s]", title="0.6 of the accelerator")
below.set(xlabel="time [s]", ylabel="mean sinkage [mm]")
above.legend()
for axes in (above, below):
    axes.grid(True, alpha=0.3)
figure.savefig("05_own_soil.png", dpi=120)
