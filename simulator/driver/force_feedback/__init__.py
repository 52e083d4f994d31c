"""What the driver's device gives back: the torque of the steering on a wheel with force feedback, shaking on a game controller."""
