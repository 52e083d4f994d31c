"""Drive with one accelerator position on a road, on sandy loam and on wet clay; the wet clay is defined by files in examples/files.

Writes 05_own_soil.png: speed and sinkage.
"""

from pathlib import Path

from matplotlib.figure import Figure

import jounce

GROUNDS = {"road": "flat", "sandy loam": "flat_soil", "wet clay": str(Path(__file__).parent / "files" / "wet_field.yaml")}

figure = Figure(figsize=(8.0, 5.0), layout="constrained")
upper, lower = figure.subplots(2, 1, sharex=True)
for name, terrain in GROUNDS.items():
    sim = jounce.Simulation("hmmwv", terrain, channels=["v_WB_B_x", "sinkage", "slip_ratio"])
    sim.command(throttle=0.6)
    sim.advance(8.0)
    log = sim.log
    sinkage = 1e3 * log.field("sinkage").mean(axis=1)
    print(
        f"{name:<10} {log['v_WB_B_x'][-1]:5.2f} m/s after 8 s, mean sinkage {sinkage[-1]:.0f} mm, slip {log.field('slip_ratio')[-1].mean():.3f}"
    )
    upper.plot(log["time"], log["v_WB_B_x"], label=name)
    lower.plot(log["time"], sinkage, label=name)
upper.set(ylabel="speed [m/s]", title="accelerator position 0.6")
lower.set(xlabel="time [s]", ylabel="mean sinkage [mm]")
upper.legend()
for axes in (upper, lower):
    axes.grid(True, alpha=0.3)
figure.savefig("05_own_soil.png", dpi=120)
