"""A tire by itself: its numbers and curves (`jounce tire`)."""
