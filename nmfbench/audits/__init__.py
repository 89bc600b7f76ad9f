"""Recomputation of records, to see whether they still come out of the code.

``audit`` recomputes a ``sample`` and compares; ``sensitivity`` measures what rounding does to a
result; ``renew`` recomputes records of another numerical target.
"""
