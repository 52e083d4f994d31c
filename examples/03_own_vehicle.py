"""Define a vehicle by a file with changes to a shipped vehicle, and change single values by their key path.

Writes 03_own_vehicle.png: the roll angle over time of three vehicles in one lane change.
"""

from pathlib import Path

from matplotlib.figure import Figure

import jounce

LOADED = str(Path(__file__).parent / "files" / "loaded_hmmwv.yaml")
VEHICLES = {
    "hmmwv": {},
    "loaded": {"vehicle": LOADED},
    "loaded, twice the anti-roll bar": {"vehicle": LOADED, "changes": {"vehicle.axles.rear.anti_roll_bar.rate": 40000.0}},
}

figure = Figure(figsize=(8.0, 4.0), layout="constrained")
axes = figure.subplots()
for name, options in VEHICLES.items():
    result = jounce.simulate("avtp_lane_change", **options)
    min_load = result.metrics["wheel_load_min_N"]
    print(f"{name:<32} roll {57.3 * result.metrics['roll_max_rad']:.2f} deg, minimum wheel load {min_load:.0f} N, passed: {result.passed}")
    axes.plot(result.log["time"], 57.3 * result.log["roll"], label=name)
axes.set(xlabel="time [s]", ylabel="roll [deg]", title="NATO lane change at 50 km/h", xlim=(16.0, 26.0))
axes.grid(True, alpha=0.3)
axes.legend()
figure.savefig("03_own_vehicle.png", dpi=120)
