"""An encoder under another prefix, where queries have another than the texts they look for."""

from dataclasses import replace

from isogloss.encode.encoder import Encoder
from isogloss.encode.settings import GIVEN, Setting


def with_prefix(encoder: Encoder, prefix: str) -> Encoder:
    """Return an encoder with another prefix; the network is shared.

    Parameters
    ----------
    prefix
        Prepended to every text in place of the encoder's own.
    """
    settings = replace(encoder.settings, prefix=Setting(prefix, GIVEN))
    return encoder._with(settings=settings, tokenizer=encoder.tokenizer.with_prefix(prefix))
