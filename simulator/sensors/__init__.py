"""What measures on the vehicle: the contract of a sensor, those shipped, and how a session gets them."""
