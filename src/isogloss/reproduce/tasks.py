"""What a paper is measured by: tasks, their jobs, and what every cell is made with."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from isogloss.encode import Encoder
from isogloss.errors import InputError
from isogloss.learn.tuning_options import Tune, TuningOptions
from isogloss.reproduce.cells import CellFile, CellKey
from isogloss.reproduce.lines import Line

Found = dict[str, Any]  # what is kept of a cell, as JSON has it
Made = Iterator[tuple[CellKey, Found]]
WAY_BACK = 3  # a training step costs about as much as three passes forward


@dataclass(frozen=True)
class Job:
    """Cells that are made together, as they share a fit or the vectors of texts.

    Attributes
    ----------
    cells
        In the order in which they are made.
    n_characters
        That the encoder reads for some of the cells, for an estimate of the time: of a fine-tuned
        one `WAY_BACK` times those of a training epoch.
    make
        Makes cells, some of `cells`, one after the other.
    """

    cells: Sequence[CellKey]
    n_characters: Callable[[Sequence[CellKey]], int]
    make: Callable[[Sequence[CellKey]], Made]


@dataclass(frozen=True)
class Task:
    """Part of a paper.

    Attributes
    ----------
    settings
        All of them, to be printed.
    lines
        From cells to lines of the table; cells that are missing are left out.
    sample
        Texts to measure the encoder's rate on.
    failures
        One sentence for each thing that is wrong with the data; the rest goes on without it.
    absent
        What is not there; "" where all is.
    has_part
        Whether the texts are a part of what a run reads, as a plan takes of a dump: keys of the
        cells are then those of other data, and the texts tell no time.
    """

    name: str
    title: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    jobs: Sequence[Job] = ()
    lines: Callable[[CellFile], list[Line]] = lambda _: []
    sample: Sequence[str] = ()
    failures: Sequence[str] = ()
    absent: str = ""
    has_part: bool = False

    @property
    def cells(self) -> list[CellKey]:
        """The cells of all jobs."""
        return [key for job in self.jobs for key in job.cells]


@dataclass(frozen=True)
class Asked:
    """What a paper is measured with.

    Attributes
    ----------
    data
        Folder of the data sets.
    kb
        Knowledge base; None: none.
    seeds
        None: the paper's own number, or that of the task.
    tune, training
        As `TextClassifier` and `TokenTagger` take them.
    is_plan
        Whether nothing will run, so that of a dump its beginning is enough.
    """

    paper: str
    encoder: Encoder
    data: Path
    kb: Path | None = None
    seeds: int | None = None
    tune: Tune = "head"
    training: Mapping[str, Any] = field(default_factory=dict)
    is_plan: bool = False

    @cached_property
    def tuning(self) -> TuningOptions | None:
        """How the encoder is fine-tuned, with what depends on the device; None: it is frozen."""
        if self.tune == "head":
            return None
        given = TuningOptions.of(self.training)
        return given.settled(tune=self.tune, device=str(self.encoder.device))

    @property
    def tuning_settings(self) -> dict[str, Any]:
        """The options of fine-tuning, for a key; none where the encoder is frozen."""
        return {} if self.tuning is None else asdict(self.tuning)

    def key(
        self, task: str, langs: str, settings: Mapping[str, Any], *, seed: int = 0, data: str
    ) -> CellKey:
        """Return the key of a cell of this encoder."""
        precision = {"dtype": self.encoder.dtype}
        return CellKey(
            self.paper, task, langs, dict(settings) | precision, seed, self.encoder.fingerprint,
            data,
        )  # fmt: skip

    def differs(self, theirs: str, *others: str) -> str:
        """Return what differs from a paper, first the encoder."""
        return "; ".join([f"encoder {self.encoder.name}, not {theirs}", *filter(None, others)])


def sha256_of_all(parts: Iterable[str]) -> str:
    """Return one SHA-256 of several texts in their order."""
    whole = "\n".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.sha256(whole).hexdigest()


@contextmanager
def sentences_into(failures: list[str]) -> Iterator[None]:
    """Put the sentence of an `InputError` into a list, and go on."""
    try:
        yield
    except InputError as error:
        failures.append(str(error))


@dataclass(frozen=True)
class Paper:
    """A paper.

    Attributes
    ----------
    tasks
        From what it is measured with to its tasks.
    not_built
        One sentence for each part that nothing here measures.
    fits
        Whether a model is learned, so that there are seeds, and the encoder may be fine-tuned.
    """

    title: str
    tasks: Callable[[Asked], list[Task]]
    not_built: Sequence[str]
    fits: bool
