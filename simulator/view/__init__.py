"""The window: everything a person sees. It reads a block of shared memory and writes one byte per key, and knows nothing else."""
