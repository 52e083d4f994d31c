"""Catalog of the kinds of files, the shipped files and the registries; the commands list, check and schema."""
