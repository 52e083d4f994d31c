"""Environments for learning, with the interface of Gymnasium."""
