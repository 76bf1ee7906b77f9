"""One run of pre-training, in the stages of progressive stacking or in a single one."""

import copy
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch

from isogloss.align.pretraining.corpus import Corpus
from isogloss.align.pretraining.epoch_blocks import EpochBlocks, Masking
from isogloss.align.pretraining.masked_model import DevLoss, MaskedLanguageModel
from isogloss.align.pretraining.options import PretrainingOptions
from isogloss.align.pretraining.stacking import Stage, stacked, stages
from isogloss.align.pretraining.start import Start
from isogloss.align.training.freezing import set_dropout
from isogloss.errors import warn_omitted
from isogloss.train import Checkpoints, TrainingResult, train
from isogloss.train.cheaper_modules import cheaper_modules


@dataclass(frozen=True)
class Pretraining:
    """What is trained, on what, and how."""

    start: Start
    corpus: Corpus
    options: PretrainingOptions
    seed: int
    dev: Corpus | None = None

    @property
    def masking(self) -> Masking:
        """How blocks are masked."""
        network: Any = self.start.base.network
        device = str(next(self.start.model.parameters()).device)
        return Masking(
            self.start.vocabulary, self.options.mask_share, self.seed, network.pad_id, device
        )

    def stages(self) -> list[Stage]:
        """Return the runs that training is made of."""
        options = self.options
        n_draws = len(self.corpus.blocks)
        if options.steps is not None:
            n_draws = round(options.steps / options.epochs) * options.batch_size
        n_layers = self.start.base.n_layers
        if not options.stacking:
            return [Stage(n_layers, options.epochs, n_draws)]
        return stages(
            n_layers, n_epochs=options.epochs, n_draws=n_draws, shares=options.stage_shares
        )

    def facts(self, stage: Stage) -> dict[str, Any]:
        """Return what makes a stage's run this one."""
        return {
            "encoder": self.start.base.fingerprint, "texts": self.corpus.checksum,
            "pre-training": asdict(self.options),
            "stage": asdict(stage),
        } | ({} if self.dev is None else {"development texts": self.dev.checksum})  # fmt: skip


def pretrain(run: Pretraining, *, checkpoints: Path | None) -> tuple[Any, list[TrainingResult]]:
    """Train, and return the model with the result of each stage.

    Parameters
    ----------
    checkpoints
        Folder for checkpoints, which a run that was begun there resumes from; each stage has one
        of its own inside.
    """
    results = []
    found = run.stages()
    model = run.start.model
    if len(found) > 1:
        model = _smaller(model, found[0].n_layers, seed=run.seed)
    for number, stage in enumerate(found, start=1):
        if stage.n_layers > model.config.num_hidden_layers:
            model = stacked(model)
        kept = None
        if checkpoints is not None:
            kept = Checkpoints(checkpoints if len(found) == 1 else checkpoints / f"stage-{number}")
        said = f"stage {number} of {len(found)}" if len(found) > 1 else ""
        results.append(_train(run, stage, model, kept, said))
    return model, results


def _train(
    run: Pretraining, stage: Stage, model: Any, checkpoints: Checkpoints | None, said: str
) -> TrainingResult:
    """Train one stage; `said` is which of several, "" where there is one only."""
    options, masking = run.options, run.masking
    blocks = EpochBlocks(
        run.corpus.blocks, masking, n_draws=stage.n_draws, tlm_share=options.tlm_share,
        smoothing=options.smoothing, batch_size=options.batch_size,
    )  # fmt: skip
    if left_out := [name for name, n in blocks.sizes.items() if not n]:
        warn_omitted(
            f"nothing is drawn of {', '.join(left_out[:5])}{' …' if left_out[5:] else ''} "
            f"({len(left_out)} of {len(blocks.sizes)}); more steps reach them"
        )
    module = MaskedLanguageModel(model, n_predicted=blocks.n_predicted, stage=said)
    dev = None if run.dev is None else DevLoss(module, run.dev.blocks, masking)
    if options.dropout is not None:
        set_dropout(model, options.dropout)
    with cheaper_modules(model, is_first_enough=False):
        return train(
            module, blocks,
            loss=module.loss,
            options=replace(options, epochs=stage.n_epochs, steps=None),
            seed=run.seed,
            order=blocks.order,
            score=dev,
            score_in_words=str if dev is None else dev.in_words,
            checkpoints=checkpoints,
            run=run.facts(stage),
            description=f"pre-training, {said}" if said else "pre-training",
        )  # fmt: skip


def _smaller(model: Any, n_layers: int, *, seed: int) -> Any:
    """Return a new model of fewer layers."""
    config = copy.deepcopy(model.config)
    config.num_hidden_layers = n_layers
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return type(model)(config).to(next(model.parameters()).device)
