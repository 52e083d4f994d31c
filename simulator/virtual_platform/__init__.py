"""Software motion platform: process, receiver, window."""
