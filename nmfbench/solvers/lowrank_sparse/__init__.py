"""Low rank plus sparse: ``X = low_rank_ + sparse_``, of any sign."""
