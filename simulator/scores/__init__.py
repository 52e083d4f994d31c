"""Scores of published navigation benchmarks: tasks, parallel drives, table of results and summary."""
