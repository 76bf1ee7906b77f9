"""Encoders: multilingual texts to vectors, with every setting said and where it came from."""

import copyreg

from isogloss.encode.encoder import EncodedTexts, Encoder
from isogloss.encode.pickling import reduced
from isogloss.encode.settings import EncoderSettings

copyreg.pickle(Encoder, reduced)

__all__ = ["EncodedTexts", "Encoder", "EncoderSettings"]
