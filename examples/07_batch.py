"""Run a batch in parallel: the speed limit of the lane change on a dry and on a wet road. Writes 07_batch.png.

A case with an error becomes a row with its reason; the last case here has a negative friction.
"""

from matplotlib.figure import Figure

import jounce

SPEEDS, FRICTIONS = (50.0, 60.0, 70.0, 80.0), {"dry": 0.8, "wet": 0.5}
SPEED, FRICTION = "maneuver.parameters.speed_kph", "vehicle.tires.friction"
cases = [
    {"maneuver": "avtp_lane_change", "changes": {SPEED: speed, FRICTION: friction}} for friction in FRICTIONS.values() for speed in SPEEDS
]
cases.append({"maneuver": "avtp_lane_change", "changes": {FRICTION: -1.0}})

batch = jounce.run_batch(cases, processes=2)
for row in batch:
    margin = row.failure or f"margin {row.metrics['gate_margin_min_m']:6.3f} m, cones hit {row.metrics['cones_hit']:.0f}"
    print(f"{row.case['changes'].get(SPEED, 50.0):3.0f} km/h, friction {row.case['changes'][FRICTION]:4.1f}: {margin}")
print(batch)

margins = batch.column("gate_margin_min_m")[: len(FRICTIONS) * len(SPEEDS)].reshape(len(FRICTIONS), -1)
figure = Figure(figsize=(6.0, 4.0), layout="constrained")
axes = figure.subplots()
for name, row in zip(FRICTIONS, margins, strict=True):
    axes.plot(SPEEDS, row, "o-", label=name)
axes.axhline(0.0, color="0.5", linewidth=0.8)
axes.set(xlabel="speed [km/h]", ylabel="smallest margin to a lane limit [m]", title="NATO lane change")
axes.grid(True, alpha=0.3)
axes.legend()
figure.savefig("07_batch.png", dpi=120)
