"""Encoders: multilingual texts to vectors, with every setting said and where it came from."""

from isogloss.encode.encoder import EncodedTexts, Encoder
from isogloss.encode.settings import EncoderSettings

__all__ = ["EncodedTexts", "Encoder", "EncoderSettings"]
