"""Key paths of nested mappings and lists, for tests with invalid files."""


def key_paths(value, above=()):
    """Yield the paths of all keys, and of the first and last item of every list."""
    if above:
        yield above
    if isinstance(value, dict):
        for key in value:
            yield from key_paths(value[key], (*above, key))
    elif isinstance(value, list) and value:
        for i in {0, len(value) - 1}:
            yield from key_paths(value[i], (*above, i))
