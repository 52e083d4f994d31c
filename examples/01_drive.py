"""Drive for ten seconds with direct commands and plot the result. Writes 01_drive.png."""

import jounce

sim = jounce.Simulation("hmmwv", "flat")
sim.command(throttle=0.5)
sim.advance(5.0)
sim.command(throttle=0.2, steering=0.15)  # + = left, 1 = full lock
sim.advance(5.0)

print(sim.read("v_WB_B_x"))
print(f"{sim.log!r}; yaw angle {57.3 * sim['yaw']:.0f} deg, lateral acceleration {sim['a_WB_B_y']:.1f} m/s2")
sim.plot("v_WB_B_x", "a_WB_B_y", "roll", "F_C_*_z", file="01_drive.png")
