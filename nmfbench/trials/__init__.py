"""Description of the work: trials, without files, stores and processes.

``trial`` is the unit of work with its key (``fingerprint`` versions the code) and its ``seeds``;
``target`` names the numerical target under which it is computed.
"""
