"""Tree of a mechanism as flat records: motion, forces and constraints."""
