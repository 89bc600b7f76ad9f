"""The page of a recommendation: evidence for rank, loss and solver, and the factors."""
