"""Kumar & Sindhwani (2015), Near-separable NMF with l1 and Bregman loss functions."""
