"""Cards: what is known of a solver, on a page, from registry, docstring, tests and records.

Every entry of a card is generated. The problem, the cost, the parameters and the departures from
the paper are read from the docstring; what the solver takes and leaves from its class; what it was
checked against from the tests, where they are installed; ranks, failures and verdicts from the
records of the papers' artefacts; and the exponents of time from a measurement that ``nmfbench card
KEY --measure`` makes and keeps beside the records.
"""

from nmfbench.cards.card import Evidence, gather, make_card
from nmfbench.cards.pages import card_list, card_page, card_text

__all__ = ["Evidence", "card_list", "card_page", "card_text", "gather", "make_card"]
