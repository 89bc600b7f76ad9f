"""Mathematics that solvers share: losses, proximal maps, starts, stop rules, graphs, kernels."""
