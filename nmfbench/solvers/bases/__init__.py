"""Base classes that families of solvers share."""
