"""What a driver, human or scripted, asks of the vehicle during one tick."""

COMMAND = (
    # name           shape  unit  what it is
    ("steering", (), "1", "steering input in [-1, 1], + = left, full lock at 1"),
    ("throttle", (), "1", "accelerator pedal in [0, 1]"),
    ("brake", (), "1", "brake pedal in [0, 1]"),
    ("parking_brake", (), "1", "parking brake in [0, 1]"),
    ("selector", (), "1", "-1 reverse, 0 neutral, 1 drive", "i8"),
    ("gear", (), "1", "forward gear asked for in drive, 0 = the gearbox's own choice", "i8"),
    ("low_range", (), "1", "1: low range of the transfer case asked for", "i8"),
    ("center_lock", (), "1", "1: lock of the center differential asked for", "i8"),
    ("clutch", (), "1", "clutch pedal in [0, 1], 1 = pressed; it counts where `manual_clutch` says so"),
    ("manual_clutch", (), "1", "1: clutch and lever of a hand gearbox are worked by the driver, 0: by an automatic one", "i8"),
    ("starter", (), "1", "1: the key is turned to start the engine", "i8"),
    ("drawbar", (), "N", "pull on the tow hook, + = backwards along the chassis' x axis"),
    ("steering_torque", (), "N m", "torque of the hands on a steering wheel that turns freely, + = left"),
    (
        "steering_free",
        (),
        "1",
        "1: they give that torque, where the session has `steering: torque`; 0: they hold the wheel at `steering`",
        "i8",
    ),
)
