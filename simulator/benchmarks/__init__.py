"""Cost of a tick, a run and a sweep; comparison with another checkout."""
