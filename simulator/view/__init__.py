"""Display of the simulation. The window reads states from shared memory, writes key states, and has no other connection to the host."""
