"""Sound of a vehicle: synthesis from its state, in blocks of 10 ms, and its playback in a process of its own."""
