"""Offline tools for one component each: suspension, mechanism, soil, terrain, tires, motion cueing."""
