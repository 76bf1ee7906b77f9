"""Encoders in forms that others load: smaller, in one file, with a card."""

from typing import TYPE_CHECKING

from isogloss.late import late_names

if TYPE_CHECKING:
    from isogloss.align.export.card import CardFacts, card_of, read_evaluation
    from isogloss.align.export.directory import write_sentence_transformers
    from isogloss.align.export.record import Record

__all__ = [
    "CardFacts", "Record", "card_of", "read_evaluation", "write_sentence_transformers",
]  # fmt: skip

if not TYPE_CHECKING:
    __getattr__, __dir__ = late_names(
        __name__,
        {
            "CardFacts": "card",
            "Record": "record",
            "card_of": "card",
            "read_evaluation": "card",
            "write_sentence_transformers": "directory",
        },
    )
