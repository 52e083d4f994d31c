"""A vehicle of one's own: a file that says what differs from a shipped one, and single numbers changed by their key path.

Writes 03_own_vehicle.png, the lateral acceleration over time of three vehicles in one lane change.
"""

from pathlib import Path

from matplotlib.figure import Figure

import simulator as jounce

LOADED = str(Path(__file__).parent / "files" / "loaded_hmmwv.yaml")
VEHICLES = {
    "as shipped": {},
    "loaded": {"vehicle": LOADED},
    "loaded, twice the anti-roll bar": {"vehicle": LOADED, "changes": {"vehicle.axles.rear.anti_roll_bar.rate": 40000.0}},
}

figure = Figure(figsize=(8.0, 4.0), layout="constrained")
axes = figure.subplots()
for name, options in VEHICLES.items():
    result = jounce.simulate("avtp_lane_change", **options)
    least = result.metrics["wheel_load_min_N"]
    print(f"{name:<32} roll {57.3 * result.metrics['roll_max_rad']:.2f} deg, least wheel load {least:.0f} N, passed: {result.passed}")
    axes.plot(result.log["time"], 57.3 * result.log["roll"], label=name)
axes.set(xlabel="time [s]", ylabel="roll [deg]", title="NATO lane change at 50 km/h", xlim=(16.0, 26.0))
axes.grid(True, alpha=0.3)
axes.legend()
figure.savefig("03_own_vehicle.png", dpi=120)
