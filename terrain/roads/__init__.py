"""Roads: the bed of a road in a height map, and the network of lanes."""
