"""`jounce terrain`: what a terrain or a file of heights holds, pictures of it, and terrains made of the files of others."""
