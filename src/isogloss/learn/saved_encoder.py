"""The encoder that a saved model names: found again, and refused where it is another.

What tuning made of it lies inside the model (`PLACES`), as does the transform behind its vectors.
"""

import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from isogloss.encode import Encoder
from isogloss.encode.settings import Setting
from isogloss.encode.source import EncoderName
from isogloss.errors import InputError
from isogloss.learn.tuning_options import Tune
from isogloss.storage.files import resolved
from isogloss.storage.model_files import REPAIR
from isogloss.storage.refusals import without_detours

TRANSFORM = "transform.safetensors"  # of the encoder's vectors, where it has one
PLACES = {"full": "encoder", "lora": "adapter"}  # of what tuning made, by method


@dataclass(frozen=True)
class EncoderPlace:
    """The model's folder, what the caller says of its encoder, and where it is to run."""

    path: Path
    given: str | Path | Encoder | None
    device: str
    threads: int | None
    dtype: str
    tune: Tune

    def base(self, saved: EncoderName) -> Encoder:
        """Return the encoder that a model names: before any tuning.

        Raises
        ------
        InputError
            When it is gone, or has another fingerprint.
        """
        given, path = self.given, self.path
        if isinstance(given, Encoder):
            found = given
            if self.tune != "head":
                from isogloss.learn.tuned_encoder import with_settings

                names = ("pooling", "normalize", "max_length")
                settings = {name: saved.options[name] for name in names}
                found = with_settings(_restored(given), **settings)
        else:
            own = without_detours(path / saved.name) if saved.is_directory else saved.name
            name = given or own
            if given is None and saved.is_directory and not Path(name).is_dir():
                raise InputError(
                    f"the model's encoder is not at {name} any more; name it with --encoder",
                    path=path,
                )
            of_load: dict[str, Any] = {"device": self.device, "dtype": self.dtype}
            found = Encoder.load(
                name,
                threads=self.threads,
                transform=path / TRANSFORM if (path / TRANSFORM).is_file() else None,
                fetch=given is not None,
                **(of_load | saved.options),
            )
            found = _restored(found)
        if found.fingerprint != saved.fingerprint:
            raise InputError(
                f"the model was trained with another encoder ({saved.name}, fingerprint "
                f"{saved.fingerprint[:12]}) than {found.name} ({found.fingerprint[:12]}); "
                "name the right one with --encoder or fit the model again",
                path=path,
            )
        return found

    def fully_tuned(self, saved: EncoderName) -> Encoder:
        """Return the encoder that ``tune="full"`` left in a model.

        Raises
        ------
        InputError
            When it is missing.
        """
        folder = self.path / PLACES["full"]
        if not folder.is_dir():
            raise InputError(f"the model is incomplete, this is missing; {REPAIR}", path=folder)
        return Encoder.load(
            folder, device=self.device, dtype=self.dtype, threads=self.threads, **saved.options
        )

    def refuse_useless(self) -> None:
        """Raise `InputError` where an encoder is given to a model that has its whole one in it."""
        if self.given is not None:
            raise InputError(
                "the model has its whole encoder in it, tuned, and reads no other; leave --encoder "
                "(encoder=) out",
                path=self.path,
            )


def refuse_around_encoder(encoder: Encoder, path: Path) -> None:
    """Refuse to replace a folder in which the encoder lies that the model names."""
    name = Path(encoder.name)
    if name.is_dir() and path.exists() and resolved(name).is_relative_to(resolved(path)):
        raise InputError(
            f"the model needs its encoder {name}, which would be replaced; choose another folder",
            path=path,
        )


def write_tuned(encoder: Encoder, folder: Path) -> None:
    """Write what tuning made of an encoder into a model; `folder` is not there yet."""
    from isogloss.learn.tuned_encoder import TunedEncoder

    if isinstance(encoder, TunedEncoder):
        folder.mkdir()
        encoder.write(folder)
    else:  # read from a model's directory, as it was written
        shutil.copytree(encoder.name, folder)


def _restored(encoder: Encoder) -> Encoder:
    """Return the encoder, what it does with long texts no longer being a wish of the caller's.

    A clone of a loaded model may be fine-tuned, which cuts them whatever was saved.
    """
    setting = Setting(encoder.settings.long_texts.value, "saved model")
    return encoder._with(settings=replace(encoder.settings, long_texts=setting))
