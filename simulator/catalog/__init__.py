"""What there is: the kinds of files with their tables, the files shipped of each, the names of the registries; and the commands that tell it."""
