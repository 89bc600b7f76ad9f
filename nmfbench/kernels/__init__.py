"""Compiled inner loops, one file per operation: the only home of ``numba.njit``.

Kernels are plain functions of arrays that update their first argument in place. They neither
allocate in an inner loop nor print, and they work in the dtype of their arguments.
"""
