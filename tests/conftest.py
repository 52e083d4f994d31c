"""For all tests: no time limit on examples, since the first one may compile a kernel; the same examples on every machine."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("jounce", deadline=None, derandomize=True)
settings.load_profile("jounce")
