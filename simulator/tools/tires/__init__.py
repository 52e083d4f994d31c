"""Characteristics and curves of a tire (`jounce tire`)."""
