"""OpenDRIVE: roads as a terrain with a surface, lanes, markings and objects."""
