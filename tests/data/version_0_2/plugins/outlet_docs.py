"""As docs/own_outlet.md of commit 802fdee has it."""

from simulator.outlet_kind import CONTRACT, OutletKind, register


class TopSpeed:
    def __init__(self, settings):  # parameters, folder, period
        self.file, self.fastest = settings.folder / "top_speed.txt", 0.0

    def publish(self, published):  # time, readout, command, pose, legs, state, felt, sensors
        self.fastest = max(self.fastest, float(published.readout[0]["v_WB_B"][0]))

    def close(self):
        self.file.write_text(f"{3.6 * self.fastest:.1f} km/h\n")


register(OutletKind("top_speed", TopSpeed, CONTRACT, rate=20.0, meaning="fastest speed, into top_speed.txt"))
