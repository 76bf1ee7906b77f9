"""Encoders in forms that others load: smaller, in one file, with a card."""

from isogloss.align.export.card import CardFacts, card_of, read_evaluation
from isogloss.align.export.directory import refuse_pooler, write_sentence_transformers
from isogloss.align.export.record import Record

__all__ = [
    "CardFacts", "Record", "card_of", "read_evaluation", "refuse_pooler",
    "write_sentence_transformers",
]  # fmt: skip
