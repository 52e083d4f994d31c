"""Run a step-steer maneuver (after ISO 7401) from a file and compute its response values. Writes 04_own_maneuver.png."""

from pathlib import Path

import numpy as np

import jounce

result = jounce.simulate(str(Path(__file__).parent / "files" / "step_steer.yaml"), log_rate=500.0)
log = result.log
time, yaw_rate, wheel = log["time"], log["w_WB_B_z"], log["steering_wheel_angle"]

begin = time[np.argmax(wheel > 0.5 * wheel[-1])]  # time at half of the final steering angle
steady = yaw_rate[time > time[-1] - 0.5].mean()
response = time[np.argmax(yaw_rate > 0.9 * steady)] - begin
print(result)
print(f"steady yaw rate {57.3 * steady:.2f} deg/s, gain {steady / wheel[-1]:.3f} 1/s, at {log['v_WB_B_x'][-1]:.1f} m/s")
print(f"response time to 90 % {1e3 * response:.0f} ms, overshoot {100.0 * (yaw_rate.max() / steady - 1.0):.1f} %")
log.plot("steering_wheel_angle", "w_WB_B_z", "a_WB_B_y", "slip_angle", file="04_own_maneuver.png")
