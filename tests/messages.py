"""Comparison of error messages with patterns."""

import re


def is_message(pattern: str, text: str) -> bool:
    """Return True if a text contains a pattern, in which ``...`` stands for any characters."""
    return re.search(".*".join(map(re.escape, pattern.split("..."))), text) is not None
