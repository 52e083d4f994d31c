"""Events of a session: incidents, which put the vehicle back, and collisions, which stop nothing."""
