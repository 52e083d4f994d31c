"""Start screen: choice of vehicle, terrain, weather and driver in a window, devices, keys and settings, before a drive."""
