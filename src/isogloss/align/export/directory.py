"""An encoder as a sentence-transformers directory, which that library and we load alike."""

from pathlib import Path

from isogloss.align.export.record import Record
from isogloss.learn.export.directory import refuse_pooler, write_encoder
from isogloss.learn.tuned_encoder import TunedEncoder
from isogloss.storage.files import atomic_directory


def write_sentence_transformers(
    encoder: TunedEncoder, folder: Path, *, card: str, record: Record, overwrite: bool = False
) -> None:
    """Write weights, tokenizer, and the settings that make vectors what they are.

    Parameters
    ----------
    encoder
        Tuned as a whole; an adapter has to be merged first.
    card
        Text of ``README.md``.
    record
        What the encoder was made of.

    Raises
    ------
    InputError
        When `folder` exists and `overwrite` is false, or pooling is by the model's own pooler,
        which sentence-transformers has no module for.
    """
    refuse_pooler(encoder.settings.pooling.value)
    with atomic_directory(folder, overwrite=overwrite) as made:
        fill_directory(encoder, made, card=card, record=record)


def fill_directory(encoder: TunedEncoder, made: Path, *, card: str, record: Record) -> None:
    """Write what `write_sentence_transformers` does into an empty folder."""
    write_encoder(encoder, made)
    (made / "README.md").write_text(card, encoding="utf-8")
    record.write(made)
