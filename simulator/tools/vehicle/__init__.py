"""Vehicle files for other programs: `jounce vehicle urdf`."""
