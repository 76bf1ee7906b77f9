"""The training loop: AdamW over a module, batch by batch, to the best epoch.

It knows nothing of texts or classes: it takes a module, examples that it collates into batches, and
a function that gives the summed loss of a batch. A step is the same whatever way its batch is
cut into micro-batches and spread over processes, but for rounding. On one processor the same seed
gives the same bytes, a run that was killed and resumed included.
"""

import logging
import math
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import InitVar, dataclass
from typing import Any, Protocol, TypeVar, runtime_checkable

import torch
from torch import Tensor, nn

from isogloss.arrays import Ints1d
from isogloss.compiled import interrupts_wait
from isogloss.errors import InputError
from isogloss.progress import progress
from isogloss.train.checkpoints import NAME, Checkpoints, Epoch, Progress
from isogloss.train.optimizer import ModuleOptimizer
from isogloss.train.options import TrainingOptions
from isogloss.train.order import (
    batches_of,
    micro_batches,
    rate_at,
    seed_of,
    share_of,
)
from isogloss.train.processes import Processes, joined_processes
from isogloss.train.weights import Tensors, TrainedWeights

logger = logging.getLogger("isogloss")

Batch = TypeVar("Batch")
Made = TypeVar("Made", covariant=True)
Score = tuple[float, ...]
Order = Callable[[int], list[Ints1d]]
MAX_TOKENS = {"cpu": 2048}
MAX_TOKENS_ELSEWHERE = 16_384
LONGEST_WAIT = 5.0  # seconds that a step may hold back who stops the process
PART_COST = {"cpu": 100}  # elsewhere about as few parts as there can be


class Examples(Protocol[Made]):
    """What the loop needs of a set of examples, which it knows by number, from 0."""

    @property
    def lengths(self) -> Ints1d | None:
        """int64 (n_examples,): tokens of each, so that like lengths share a micro-batch."""
        ...

    def __len__(self) -> int:
        """Return how many there are."""
        ...

    def collate(self, rows: list[int], /) -> Made:
        """Return a batch of some examples, on the module's device."""
        ...


@runtime_checkable
class SaysMore(Protocol):
    """A module that has more to say of an epoch than its loss."""

    def epoch_in_words(self) -> str:
        """Return it for the log, "" for nothing; called once, at the end of each epoch."""
        ...


@dataclass(frozen=True)
class TrainingResult:
    """How a run went; the module holds the weights.

    Attributes
    ----------
    epochs
        Those run.
    best_steps
        Ends of the epochs whose weights were kept and averaged, the best first.
    is_stopped_early
        Whether the dev score ended the run.
    """

    epochs: list[Epoch]
    best_steps: list[int]
    is_stopped_early: bool


def train(
    module: nn.Module,
    examples: Examples[Batch],
    *,
    loss: Callable[[Batch], Tensor],
    options: TrainingOptions,
    seed: int,
    score: Callable[[], Score] | None = None,
    score_in_words: Callable[[Score], str] = str,
    undecayed: Collection[str] = (),
    checkpoints: Checkpoints | None = None,
    run: dict[str, Any] | None = None,
    description: str = "tuning",
    order: Order | None = None,
) -> TrainingResult:
    """Train a module in place.

    Parameters
    ----------
    module
        Parameters that require a gradient are trained. An ``nn.Embedding`` with ``sparse=True``
        is updated by rows (`RowAdamW`). One that `SaysMore` is heard at the end of each epoch.
    loss
        Returns the sum of the losses of a batch's examples, not their mean.
    seed
        Of the order and of dropout.
    score
        Scores the module, which is in evaluation mode, on development data, higher being
        better; of a tuple the later numbers decide between equals. Called after each epoch.
    score_in_words
        Names the numbers of a score, for the log.
    undecayed
        Names of matrices without weight decay.
    checkpoints
        Where the run is kept; a run that was begun there resumes.
    run
        What makes the run this one beside options and seed (checksums of data and model), for
        refusing the checkpoint of another.
    description
        For the progress bar.
    order
        From the number of an epoch to the examples of each of its steps, as many steps in each;
        None: every example once, in an order of the epoch's own.

    Raises
    ------
    InputError
        When the loss is not finite, `checkpoints` holds another run, or one is at work there.
    ValueError
        For options without a learning rate.
    """
    device = next(module.parameters()).device
    with joined_processes(device) as processes, _own_random_numbers(device):
        identity = (run or {}) | {"options": options.of_loop(), "seed": seed}
        loop = _Loop(
            module, examples, loss, options, seed, score, score_in_words, checkpoints, identity,
            processes, order, undecayed,
        )  # fmt: skip
        return loop.run(description)


@dataclass
class _Loop:
    """One run; see `train`."""

    module: nn.Module
    examples: Examples[Any]
    loss: Callable[[Any], Tensor]
    options: TrainingOptions
    seed: int
    score: Callable[[], Score] | None
    score_in_words: Callable[[Score], str]
    checkpoints: Checkpoints | None
    identity: dict[str, Any]
    processes: Processes
    order: Order | None
    undecayed: InitVar[Collection[str]]

    def __post_init__(self, undecayed: Collection[str]) -> None:
        module, options = self.module, self.options
        self.device = next(module.parameters()).device
        self.dtype = dtype_of(options, self.device)
        self.weights = TrainedWeights(module)
        self.optimizer = ModuleOptimizer(self.weights, options, undecayed=undecayed)
        self.scaler = torch.amp.GradScaler(
            self.device.type, enabled=self.dtype is torch.float16, init_scale=2.0**14
        )
        self.state = Progress()
        self.kept: dict[int, Tensors] = {}  # weights of the best epochs, by step
        self._batches: tuple[int, list[Ints1d]] = (-1, [])
        self._seconds_of_step = math.inf  # the first may be stopped in the middle
        self.n_steps_of_epoch = len(self._batches_of(0))
        self.n_steps = options.epochs * self.n_steps_of_epoch
        self.max_tokens = options.max_tokens or MAX_TOKENS.get(
            self.device.type, MAX_TOKENS_ELSEWHERE
        )

    def run(self, description: str) -> TrainingResult:
        with self._held_checkpoints():
            self._resume()
            self._take_steps(description)
        if self.kept:
            self.weights.put_mean([self.kept[step] for step in self.state.best_steps])
        self.module.eval()
        return TrainingResult(self.state.epochs, self.state.best_steps, self.state.is_stopped_early)

    def _held_checkpoints(self) -> AbstractContextManager[None]:
        if self.checkpoints is None or self.processes.rank:
            return nullcontext()
        return self.checkpoints.held()

    def _take_steps(self, description: str) -> None:
        written = time.monotonic()
        with self._progress(description) as advance:
            advance(self.state.step)
            while self.state.step < self.n_steps and not self.state.is_stopped_early:
                self._step_or_stop()
                advance(1)
                is_end = self.state.step % self.n_steps_of_epoch == 0
                if is_end:
                    self._end_epoch()
                is_due = self.checkpoints and time.monotonic() - written >= self.checkpoints.seconds
                if is_end or is_due:
                    self._write()
                    written = time.monotonic()

    def _step_or_stop(self) -> None:
        """Take a step; a process that is told to stop meanwhile ends it and keeps a checkpoint.

        Not where a step takes long: that would be felt. What is kept then is the last checkpoint,
        and so it is at the end of an epoch, which has not been scored.
        """
        step, began = self.state.step, time.monotonic()
        is_short = self.checkpoints is not None and self._seconds_of_step < LONGEST_WAIT
        try:
            with interrupts_wait() if is_short else nullcontext():
                self._step()
        except KeyboardInterrupt:
            if is_short and self.state.step > step and self.state.step % self.n_steps_of_epoch:
                self._write()
            raise
        self._seconds_of_step = time.monotonic() - began

    def _progress(self, description: str) -> AbstractContextManager[Callable[[int], None]]:
        if self.processes.rank:
            return nullcontext(lambda n: None)
        return progress(description, self.n_steps, "steps")

    def _step(self) -> None:
        epoch, place = divmod(self.state.step, self.n_steps_of_epoch)
        options, processes = self.options, self.processes
        batch = self._batches_of(epoch)[place]
        lengths = self.examples.lengths
        share = share_of(batch, lengths, rank=processes.rank, size=processes.size)
        parts = micro_batches(
            share, lengths, accumulate=options.accumulate, max_tokens=self.max_tokens,
            part_cost=PART_COST.get(self.device.type, self.max_tokens),
        )  # fmt: skip
        torch.manual_seed(seed_of(self.seed, self.state.step, processes.rank))
        self.module.train()
        total = torch.zeros((), dtype=torch.float32, device=self.device)
        for part in parts:
            examples = self.examples.collate(part.tolist())
            with self._mixed_precision():
                summed = self.loss(examples)
            total += summed.detach()
            self.scaler.scale(summed / len(batch)).backward()
        processes.sum_gradients(list(self.weights.named.values()), self.weights.sparse_ids)
        share_of_rate = rate_at(self.state.step, n_steps=self.n_steps, warm_up=options.warm_up)
        self.optimizer.step(share_of_rate, self.scaler)
        self.state.loss += float(processes.sum(total))
        self.state.step += 1
        if not math.isfinite(self.state.loss):
            raise InputError(
                f"the loss is not finite at step {self.state.step}; give a smaller learning rate, "
                "or precision float32"
            )

    def _batches_of(self, epoch: int) -> list[Ints1d]:
        """Return the steps of an epoch, which are found once."""
        if self._batches[0] != epoch:
            found = (
                batches_of(
                    len(self.examples), batch_size=self.options.batch_size, seed=self.seed,
                    epoch=epoch,
                )
                if self.order is None
                else self.order(epoch)
            )  # fmt: skip
            self._batches = (epoch, found)
        return self._batches[1]

    def _end_epoch(self) -> None:
        state = self.state
        found: Score = ()
        if self.score is not None:
            self.module.eval()
            with torch.no_grad(), self._mixed_precision():
                found = self.processes.of_first([*map(float, self.score())], self.device)
        epoch = Epoch(state.step, state.loss / len(self.examples), found)
        state.epochs.append(epoch)
        state.loss = 0.0
        more = self.module.epoch_in_words() if isinstance(self.module, SaysMore) else ""
        shown = f", {more}" if more else ""
        shown += f", dev: {self.score_in_words(found)}" if found else ""
        logger.log(
            logging.DEBUG if self.processes.rank else logging.INFO,
            "epoch %d of %d: loss %.4f%s", len(state.epochs), self.options.epochs, epoch.loss,
            shown,
        )  # fmt: skip
        self._keep_best()
        patience = self.options.patience
        if self.score is not None and patience is not None:
            best = max(
                range(len(state.epochs)), key=lambda place: (state.epochs[place].score, -place)
            )
            state.is_stopped_early = (
                len(state.epochs) - 1 - best >= patience and state.step < self.n_steps
            )

    def _keep_best(self) -> None:
        """Keep the weights of this epoch when it is among the best, or among the last."""
        self.state.best_steps = self._best_steps()
        if self.state.step in self.state.best_steps:
            self.kept[self.state.step] = self.weights.take()
            if self.checkpoints is not None and self.processes.rank == 0:
                self.checkpoints.write_best(self.state.step, self.kept[self.state.step])
        self.kept = {step: self.kept[step] for step in self.state.best_steps}

    def _best_steps(self) -> list[int]:
        """Return the ends of the epochs whose weights are kept, the best first."""
        n_kept = self.options.average_checkpoints
        if self.score is None and n_kept == 1:
            return []  # the weights at the end are those of the last epoch
        places = {epoch.step: place for place, epoch in enumerate(self.state.epochs)}
        ranked = sorted(
            self.state.epochs,
            key=lambda epoch: (
                epoch.score,
                places[epoch.step] if self.score is None else -places[epoch.step],
            ),
            reverse=True,
        )
        return [epoch.step for epoch in ranked[:n_kept]]

    def _resume(self) -> None:
        if self.checkpoints is None:
            return
        self.processes.wait()  # until the first has made and cleaned the folder
        found = self.checkpoints.read(self.identity)
        if found is None:
            return
        self.state = found.progress
        if self.state.best_steps != self._best_steps():
            raise InputError(
                "damaged: its best epochs are not those with the best scores; remove it to start "
                "again",
                path=self.checkpoints.folder / NAME,
            )
        self.weights.put(found.tensors)
        self.optimizer.load_state(found.tensors)
        if self.state.scaler:
            self.scaler.load_state_dict(self.state.scaler)
        self.kept = {step: self.checkpoints.read_best(step) for step in self.state.best_steps}
        logger.info("resuming at step %d of %d", self.state.step, self.n_steps)

    def _write(self) -> None:
        if self.checkpoints is None or self.processes.rank:
            return
        self.state.scaler = self.scaler.state_dict()
        tensors = self.weights.take() | self.optimizer.state()
        self.checkpoints.write(self.identity, self.state, tensors)

    def _mixed_precision(self) -> torch.autocast:
        return torch.autocast(self.device.type, self.dtype, enabled=self.dtype is not torch.float32)


def dtype_of(options: TrainingOptions, device: torch.device) -> torch.dtype:
    """Return the precision of the forward pass on a device.

    Raises
    ------
    InputError
        For float16 on a processor, which has no use for it.
    """
    if options.precision == "auto":
        if device.type != "cuda":
            return torch.float32
        return torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float16
    if options.precision == "float16" and device.type == "cpu":
        raise InputError("precision float16 is not for a processor; use bfloat16 or float32")
    dtype: torch.dtype = getattr(torch, options.precision)
    return dtype


@contextmanager
def _own_random_numbers(device: torch.device) -> Iterator[None]:
    devices = [device] if device.type == "cuda" else []
    with torch.random.fork_rng(devices=devices):
        yield
