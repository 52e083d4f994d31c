"""Display of the simulation. The window reads a block of shared memory, writes key states, and has no other connection to the simulation."""
