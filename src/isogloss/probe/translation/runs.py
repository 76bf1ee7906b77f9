"""What was measured, kept in a folder, so that a stopped command resumes with what is left."""

import hashlib
import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from msgspec import Struct

from isogloss.data.parallel import ParallelTexts
from isogloss.encode import Encoder
from isogloss.errors import warn_omitted
from isogloss.learn.run_store import Experiment, Runs
from isogloss.probe.saved import Row
from isogloss.probe.translation.measure import measure_translation
from isogloss.probe.translation.result import MeasuredTranslation, TranslationOptions
from isogloss.storage.files import sha256_of_package

logger = logging.getLogger("isogloss")


class Cell(Struct, frozen=True, forbid_unknown_fields=True):
    """Tables of an encoder on the pairs of two languages; see `MeasuredTranslation`."""

    tables: dict[str, list[dict[str, str | int | float | None]]]
    notes: list[str]
    omissions: list[str]


TRANSLATION = Experiment(
    "vector translation", 1, Cell, {"options": "options"}, option="--checkpoints"
)


@dataclass(frozen=True)
class Translations:
    """Measures encoders on pairs; what the folder has is not measured again."""

    options: TranslationOptions
    runs: Runs[Cell] | None = None

    def measure(self, encoder: Encoder, pairs: ParallelTexts) -> MeasuredTranslation:
        """Return what `measure_translation` returns, or did in an earlier run."""
        if self.runs is None:
            return measure_translation(encoder, pairs, options=self.options)
        key = _key(encoder, pairs)
        if not self.runs.file(key).exists():
            found = measure_translation(encoder, pairs, options=self.options)
            self.runs.write(key, Cell(found.tables, found.notes, found.omissions))
            return found
        logger.info("%s, %s: kept from before", encoder.name, "-".join(pairs.langs))
        cell = self.runs.read(key)
        for omission in cell.omissions:
            warn_omitted(omission)
        lang, other = pairs.langs
        tables: dict[str, list[Row]] = dict(cell.tables)
        return MeasuredTranslation(
            encoder.name, lang, other, tables, cell.notes, cell.omissions
        )  # fmt: skip


@contextmanager
def translations(
    options: TranslationOptions, checkpoints: Path | None = None
) -> Iterator[Translations]:
    """Hold a folder of what was measured; None: nothing is kept.

    Raises
    ------
    InputError
        When the folder holds what was measured with other options or another isogloss, or
        something else, or another process is at work there.
    """
    if checkpoints is None:
        yield Translations(options)
        return
    made_with = {"code of isogloss": sha256_of_package(".py"), "options": asdict(options)}
    with TRANSLATION.held(checkpoints, made_with) as runs:
        yield Translations(options, runs)


def _key(encoder: Encoder, pairs: ParallelTexts) -> str:
    facts = [encoder.name, encoder.fingerprint, encoder.dtype, pairs.texts, pairs.n_empty,
             pairs.n_repeated]  # fmt: skip
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:32]
