"""Rigid axles on trailing links: with an upper link and a Panhard rod, or with two slanted upper links."""
