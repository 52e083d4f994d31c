"""Command line: entry point, parser, options of the commands."""
