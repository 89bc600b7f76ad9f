"""Multi-view solvers with a squared loss: components that some views do without."""
