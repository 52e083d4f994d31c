"""What the files say, put together before anybody reads it: names become contents, a base gets its changes, settings stand above."""
