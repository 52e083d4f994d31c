"""Configuration: contents of all files of a session, merged with their bases and overridden from the command line, before they are read."""
