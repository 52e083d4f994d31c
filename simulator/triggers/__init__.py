"""Triggers of a session: conditions on vehicles and objects that start actions of others."""
