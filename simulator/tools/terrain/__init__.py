"""`jounce terrain`: inspect and plot terrains and elevation data, import elevation data, generate terrains."""
