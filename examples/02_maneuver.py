"""Run a shipped maneuver, check its limits and save a log at 500 Hz. Writes 02_maneuver.png and 02_maneuver.parquet."""

import jounce

result = jounce.simulate(
    "avtp_lane_change",
    log_rate=500.0,
    channels=["p_WB", "v_WB_B_x", "a_WB_B_y", "roll", "road_wheel_angle_FL", "command_steering"],
)

print(result)
for check in result.checks:
    print(f"  {check['metric']:<20} {check['value']:8.3f}   {'passed' if check['pass'] else 'FAILED'}")

log = result.log
peak = abs(log["a_WB_B_y"]).argmax()
column = log.columns["a_WB_B_y"]
print(f"largest lateral acceleration {log['a_WB_B_y'][peak]:.2f} {column.unit} (in {column.frame}) at {log['time'][peak]:.2f} s")
log.plot("p_WB_y", "a_WB_B_y", "roll", "road_wheel_angle_FL", file="02_maneuver.png")
log.save("02_maneuver.parquet")
