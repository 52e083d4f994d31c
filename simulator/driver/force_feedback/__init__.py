"""Force feedback of input devices: steering torque on a wheel with force feedback, rumble on a game controller."""
