"""Pickles of encoders: where the files are and what they must hold, not the weights themselves.

An encoder that another process unpickles is loaded there from its own files, and refused where
these are no longer the same. The package registers this with `copyreg`; a subclass, such as a
fine-tuned encoder, has no files of its own, and is pickled whole.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from isogloss.encode.encoder import Encoder
from isogloss.encode.settings import EncoderSettings
from isogloss.encode.source import BUNDLED
from isogloss.errors import InputError


@dataclass(frozen=True)
class PickledEncoder:
    """All that an encoder is loaded by.

    Attributes
    ----------
    name
        ``"bundled"``, a hub name, or an absolute path.
    fingerprint
        Of its files and settings.
    settings, dtype, device, threads, encoder_half
        As it was loaded.
    """

    name: str
    fingerprint: str
    settings: EncoderSettings
    dtype: str
    device: str
    threads: int | None
    encoder_half: bool

    @classmethod
    def of(cls, encoder: Encoder) -> "PickledEncoder":
        """Describe an encoder, leaving out its transform and cache."""
        name = encoder.name
        if name != BUNDLED and Path(name).expanduser().is_dir():
            name = str(Path(name).expanduser().absolute())
        return cls(
            name, encoder.with_transform(None).fingerprint, encoder.settings, encoder.dtype,
            encoder.device, encoder.threads, encoder.encoder_half,
        )  # fmt: skip

    def load(self) -> Encoder:
        """Load it, once for all pickles that a process holds of it.

        Raises
        ------
        InputError
            When its files are gone, or are no longer those that were pickled.
        """
        key = repr(self)
        encoder = _LOADED.get(key)
        if encoder is None:
            encoder = _LOADED[key] = self._loaded()
        return encoder

    def _loaded(self) -> Encoder:
        encoder = Encoder.load(
            self.name, device=self.device, dtype=self.dtype, threads=self.threads,
            encoder_half=self.encoder_half, **self.settings.options(),
        )  # fmt: skip
        if encoder.fingerprint != self.fingerprint:
            raise InputError(
                f"the encoder {self.name} (fingerprint {encoder.fingerprint[:12]}) is another than "
                f"was pickled ({self.fingerprint[:12]}); put the right one there, or pickle again"
            )
        return encoder._with(settings=self.settings)


_LOADED: WeakValueDictionary[str, Encoder] = WeakValueDictionary()


def reduced(encoder: Encoder) -> tuple[Any, ...]:
    """Return how an encoder is pickled: what it is loaded by, its transform and cache."""
    extras = {"transform": encoder.transform, "cache": encoder.cache}
    given = {name: value for name, value in extras.items() if value is not None}
    return unpickled, (PickledEncoder.of(encoder), given)


def unpickled(pickled: PickledEncoder, extras: dict[str, Any]) -> Encoder:
    """Return the encoder with its transform and cache, where it has any."""
    encoder = pickled.load()
    return encoder._with(**extras) if extras else encoder
