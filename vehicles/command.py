"""Command of a driver, human or scripted, to the vehicle during one tick."""

COMMAND = (
    # name           shape  unit  what it is
    ("steering", (), "1", "steering input in [-1, 1], + = left, full lock at 1"),
    ("throttle", (), "1", "accelerator pedal in [0, 1]"),
    ("brake", (), "1", "brake pedal in [0, 1]"),
    ("parking_brake", (), "1", "parking brake in [0, 1]"),
    ("selector", (), "1", "-1 reverse, 0 neutral, 1 drive", "i8"),
    ("gear", (), "1", "requested forward gear in drive, 0 = selected by the gearbox", "i8"),
    ("low_range", (), "1", "1: low range of the transfer case requested", "i8"),
    ("center_lock", (), "1", "1: lock of the center differential requested", "i8"),
    ("clutch", (), "1", "clutch pedal in [0, 1], 1 = pressed; used only where `manual_clutch` is 1"),
    (
        "manual_clutch",
        (),
        "1",
        "1: the driver operates clutch and gear lever of a manual transmission, 0: an automatic clutch and shifter",
        "i8",
    ),
    ("starter", (), "1", "1: the ignition key is turned to start the engine", "i8"),
    ("drawbar", (), "N", "pull on the tow hook, + = backwards along the chassis x axis"),
    ("steering_torque", (), "N m", "torque of the driver's hands on a free steering wheel, + = left"),
    (
        "steering_free",
        (),
        "1",
        "1: the hands apply `steering_torque`, where the session has `steering: torque`; 0: the hands hold the wheel at `steering`",
        "i8",
    ),
)
