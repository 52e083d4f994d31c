"""Where a mapping can be broken, for the tests that break files on purpose."""


def places(value, above=()):
    """Paths of all keys, and of the first and last item of every list."""
    if above:
        yield above
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], (*above, key))
    elif isinstance(value, list) and value:
        for i in {0, len(value) - 1}:
            yield from places(value[i], (*above, i))
