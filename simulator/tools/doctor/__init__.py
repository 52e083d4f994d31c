"""`jounce doctor`: what this machine allows, and how to allow more."""
