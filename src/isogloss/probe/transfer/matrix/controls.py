"""Controls, in which transfer can come from shared tokens alone (Pires et al. 2019, Figure 1).

- ``layer-0``: the same encoder's embeddings, which know nothing of other words.
- ``random``: the same encoder with its embeddings, and layers above of random weights.
- any other encoder, such as a BERT of English alone, as in the paper.

A control that is bad in the training language itself proves nothing, so its score there is shown
beside (Table 3).
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

from isogloss.encode import Encoder
from isogloss.encode.model import Network, load_network
from isogloss.encode.words.word_vectors import network_of
from isogloss.errors import InputError, did_you_mean, refuse_twice
from isogloss.probe.transfer.matrix.matrix import System

LAYER_0, RANDOM = "layer-0", "random"
_STANDARD_DEVIATION = 0.02  # of random weights, where the configuration names none


@dataclass(frozen=True)
class Candidate:
    """A system, how its encoder is loaded, and the layers that its taggers read.

    Attributes
    ----------
    place
        The encoder as it was given: a directory, or a name.
    """

    system: System
    place: str
    load: Callable[[], Encoder]
    layer: int | str


def candidates(
    encoders: Sequence[str],
    controls: Sequence[str],
    *,
    load: Callable[[str], Encoder],
    layer: int | str,
    seed: int,
) -> Iterator[Candidate]:
    """Yield the encoders, each followed by its own controls, then encoders that are controls.

    Parameters
    ----------
    controls
        `LAYER_0`, `RANDOM`, and names of encoders.
    load
        Name → encoder.
    seed
        Of random weights.

    Raises
    ------
    InputError
        When an encoder or a control is named twice, or a control is nearly one of these.
    """
    refuse_twice(encoders, "--encoder")
    refuse_twice(controls, "--control")
    refuse_twice([*encoders, *controls], "the encoder or control")
    for name in controls:
        near = did_you_mean(name, [LAYER_0, RANDOM])
        if name not in (LAYER_0, RANDOM) and near.startswith("did") and not Path(name).exists():
            raise InputError(f"no control '{name}'; {near}")
    others = [one for one in controls if one not in (LAYER_0, RANDOM)]
    names = short_names([*encoders, *others])
    for place in encoders:
        name = names[place]
        yield Candidate(System(name, name), place, partial(load, place), layer)
        if LAYER_0 in controls:
            system = System(f"{name}, layer 0", name, name)
            yield Candidate(system, place, partial(load, place), 0)
        if RANDOM in controls:
            system = System(f"{name}, random layers", name, name)
            yield Candidate(system, place, partial(_random, load, place, seed), layer)
    for place in others:
        system = System(names[place], names[place], names[encoders[0]])
        yield Candidate(system, place, partial(load, place), layer)


def short_names(places: Sequence[str]) -> dict[str, str]:
    """Return how encoders are called: a directory by its last part, where that tells it from all.

    Where it lies on this machine is of no use to who reads a table.
    """
    parts = {place: Path(place).resolve().name if Path(place).is_dir() else place
             for place in places}  # fmt: skip
    names = [*parts.values()]
    return {place: part if names.count(part) == 1 else place for place, part in parts.items()}


def _random(load: Callable[[str], Encoder], name: str, seed: int) -> Encoder:
    return RandomEncoder(load(name), seed=seed)


class RandomEncoder(Encoder):
    """An encoder with the embeddings of another, and random weights in all layers above.

    Matrices are normal with the standard deviation of the configuration, biases 0, scales of
    normalisation 1, as in a new model.
    """

    def __init__(self, base: Encoder, *, seed: int) -> None:
        from isogloss.encode.weights.packed import pack

        network_of(base)  # says that a static encoder has no layers
        # Loaded anew: the linear maps of the other are laid out for its weights.
        network = load_network(base._chain, device=base.device, dtype=base.dtype)
        _randomise(network, seed)
        pack(network.model, device=network.device, dtype=base.dtype)
        super().__init__(
            base.name, chain=base._chain, network=network, tokenizer=base.tokenizer,
            settings=base.settings, dtype=base.dtype, threads=base.threads,
        )  # fmt: skip
        self._of_base, self._seed = base.fingerprint, seed

    @cached_property
    def _untransformed_fingerprint(self) -> str:
        record = f"{self._of_base} random layers {self._seed}"
        return hashlib.sha256(record.encode()).hexdigest()


def _randomise(network: Network, seed: int) -> None:
    """Draw the weights of all layers above the embeddings, in place."""
    import torch

    model = network.model
    generator = torch.Generator().manual_seed(seed)
    deviation = getattr(model.config, "initializer_range", None) or _STANDARD_DEVIATION
    stacks = [one for one in model.modules()
              if isinstance(one, torch.nn.ModuleList) and len(one) == network.n_layers]  # fmt: skip
    with torch.no_grad():
        for stack in stacks:
            for name, weight in stack.named_parameters():
                if weight.ndim > 1:
                    drawn = torch.randn(weight.shape, generator=generator) * deviation
                    weight.copy_(drawn.to(weight))
                else:
                    weight.fill_(0.0 if name.endswith("bias") else 1.0)
