"""Input devices of a human driver: keyboard, gamepad, steering wheel."""
