"""The tree of a mechanism as flat records: its motion, forces and constraints."""
