"""Guo, Ding & Zhou (2014), Robust NMF with discriminability for image representation."""
