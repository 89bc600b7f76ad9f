"""Records: what is kept of computed trials, and why it can be trusted.

``record`` says what a record may hold, ``provenance`` where and with what it was computed;
``store`` keeps records with their ``arrays`` in a file with a ``schema``, ``sealed`` checks them
against their digests, ``stored`` reads arrays on demand, and ``repair`` sets damaged ones aside;
``results`` returns them as tables; ``pending`` finds the trials without a record that counts.
``exchange`` reads and writes files, ``saved`` names external classes in them, ``merge`` takes
records of others: ``agreement`` compares two of one trial, up to what ``rounding`` does to it.
``vouchers`` reads what audits (:mod:`nmfbench.audits`) found, and ``beside`` keeps files of
measurements.
"""
