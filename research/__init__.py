"""Studies, which need a checkout: reproduction of the papers, benchmarks of methods, costs of the program, compiled kernels of a wheel."""
