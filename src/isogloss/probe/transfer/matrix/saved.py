"""A matrix read back from the folder that `probe transfer` made."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isogloss.encode import Encoder
from isogloss.errors import InputError
from isogloss.probe.saved import SavedProbe, read_saved
from isogloss.probe.transfer.matrix.matrix import Matrix, System
from isogloss.probe.transfer.matrix.result import FORMAT, KeptEncoder, SetFile
from isogloss.probe.transfer.matrix.runs import TRANSFER, TransferRun
from isogloss.probe.transfer.matrix.sets import ReadAs, TaggedText, TrainingSet, read_tagged
from isogloss.probe.transfer.measures.pairs import Pair
from isogloss.storage.refusals import without_detours
from isogloss.text.languages import LanguageFile


@dataclass(frozen=True)
class SavedMatrix:
    """A matrix, with what other commands need to know of how it was measured."""

    folder: Path
    matrix: Matrix
    options: Mapping[str, Any]
    files: list[SetFile]
    encoders: Mapping[str, KeptEncoder]

    @property
    def n_words(self) -> int | None:
        """Words that were drawn of each training language; None: all."""
        return int(self.options["words"]) or None

    @property
    def seeds(self) -> list[int]:
        """The seeds of the taggers."""
        return [int(self.options["seed"]) + at for at in range(int(self.options["seeds"]))]

    def place_of(self, encoder: str) -> str:
        """Return where an encoder of the matrix lies, or its name.

        Raises
        ------
        InputError
            When it was a directory, which is not there any more.
        """
        kept = self.encoders[encoder]
        if not kept.is_directory:
            return kept.place
        place = without_detours(self.folder / kept.place)
        if not place.is_dir():
            raise InputError(
                f"its encoder is not at {place} any more; put it back, or measure again with "
                f"`{FORMAT.command}`",
                path=self.folder,
            )
        return str(place)

    def load_encoder(self, encoder: str, **how: Any) -> Encoder:
        """Load an encoder of the matrix.

        Parameters
        ----------
        how
            As `Encoder.load` takes it.

        Raises
        ------
        InputError
            When it is not there, or is another than the one that was measured.
        """
        kept, place = self.encoders[encoder], self.place_of(encoder)
        found = Encoder.load(place, **how)
        if found.fingerprint != kept.fingerprint:
            raise InputError(
                f"was measured with another encoder (fingerprint {kept.fingerprint[:12]}) than "
                f"{place} ({found.fingerprint[:12]}); put that back, or measure again with "
                f"`{FORMAT.command}`",
                path=self.folder,
            )
        return found

    def read_trains(self) -> list[TrainingSet]:
        """Read the training sets again.

        Raises
        ------
        InputError
            When a file is missing, or is not what it was.
        """
        parts: dict[str, list[TaggedText]] = {}
        for file in self.files:
            if file.role == "train":
                parts.setdefault(file.train, []).append(self._read(file))
        return [TrainingSet(name, some) for name, some in parts.items()]

    def read_tests(self) -> dict[str, TaggedText]:
        """Read the test sets again, as `read_trains` does."""
        return {file.lang: self._read(file) for file in self.files if file.role == "test"}

    def _read(self, file: SetFile) -> TaggedText:
        place = LanguageFile(file.lang, Path(file.path))
        how = ReadAs(file.column, file.format, file.encoding)
        text = read_tagged(place, self.matrix.task, how)
        if text.sha256 != file.sha256:
            raise InputError(
                f"is not the file that {self.folder} was measured on; measure again with "
                f"`{FORMAT.command}`",
                path=file.path,
            )
        return text


def read_matrix(folder: Path) -> SavedMatrix:
    """Read the folder of a matrix.

    Raises
    ------
    InputError
        When there is none, it is damaged, or of another version; when a run is missing.
    """
    saved = read_saved(folder, [FORMAT])
    systems = [
        System(row["system"], row["encoder"], row["control_of"]) for row in saved.tables["systems"]
    ]
    matrix = Matrix.of(
        saved.options["task"], systems, _runs(saved),
        {row["lang"]: row["ids"] for row in saved.tables["documents"]},
        seed=int(saved.options["seed"]),
    )  # fmt: skip
    encoders = {row["encoder"]: KeptEncoder(**row) for row in saved.tables["encoders"]}
    lacks = next((one.encoder for one in systems if one.encoder not in encoders), None)
    if lacks is not None:
        raise InputError(
            f"damaged: it does not say where '{lacks:.60}' is; measure again with "
            f"`{FORMAT.command}`",
            path=folder / FORMAT.file,
        )
    return SavedMatrix(
        folder, matrix, saved.options, [SetFile(**row) for row in saved.tables["files"]], encoders
    )


def _runs(saved: SavedProbe) -> dict[tuple[str, Pair], list[TransferRun]]:
    """Return the runs of all seeds, by system and pair."""
    runs = TRANSFER.to_read(saved.folder, advice=f"measure again with `{FORMAT.command}`")
    found: dict[tuple[str, Pair], list[TransferRun]] = {}
    for row in saved.tables["runs"]:
        pair = Pair(row["train"], row["test"])
        found.setdefault((row["system"], pair), []).append(runs.read(row["key"]))
    return found
