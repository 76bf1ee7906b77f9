"""From an encoder to a directory for others: as it is, with fewer tokens, in 8 bits, as ONNX.

What was written is loaded again and compared with the encoder before it appears under its name.
"""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from isogloss.align.export.card import CardFacts, card_of
from isogloss.align.export.directory import fill_directory
from isogloss.align.export.onnx_file import write_onnx
from isogloss.align.export.pruning import PrunedVocabulary, keep_rows, prune, write_vocabulary
from isogloss.align.export.record import RECORD, Record
from isogloss.arrays import Doubles1d, Floats2d
from isogloss.encode import Encoder
from isogloss.encode.loading import TOKENIZER_FILES
from isogloss.encode.model import Network
from isogloss.encode.weights.files import ONE_FILE, check_weights
from isogloss.encode.weights.int8 import write_int8
from isogloss.errors import InputError
from isogloss.learn.export.directory import refuse_pooler, transformer_folder
from isogloss.learn.export.graph import refuse_without_onnx
from isogloss.learn.export.samples import evenly, texts_in_ten_scripts
from isogloss.learn.tuned_encoder import check_untuned, finished_full, trainable_network
from isogloss.storage.files import atomic_directory

Quantize = Literal["int8"]
Form = Literal["sentence-transformers", "onnx"]
CARD, PLAIN = "README.md", "encoder"
N_COMPARED = 256  # texts whose vectors are compared, spread evenly
EQUAL = 1e-5  # largest difference of unit vectors that are equal
LEAST_COSINE = 0.95  # on average; below it the encoder is broken
ONLY_HERE = "The weights are in 8 bits: isogloss alone reads them (`Encoder.load`)."


@dataclass(frozen=True)
class Sizes:
    """Tokens of the vocabulary, and bytes of weights and tokenizer."""

    n_tokens: int
    n_bytes: int


@dataclass(frozen=True)
class Exported:
    """What came out, beside what it was made of.

    Attributes
    ----------
    largest_difference
        Of a number in the unit vectors of the texts compared; None where they are not to be equal.
    cosines
        Of the vectors before and after, (n_compared,).
    n_changed
        Texts of the corpus that are cut into other tokens.
    parity
        Largest difference of a number in the unit vectors of an ONNX graph; None without one.
    """

    before: Sizes
    after: Sizes
    largest_difference: float | None
    cosines: Doubles1d
    n_changed: int
    parity: float | None = None


def export_encoder(
    encoder: Encoder,
    folder: Path,
    *,
    texts: Sequence[str] | None = None,
    min_count: int = 1,
    quantize: Quantize | None = None,
    form: Form = "sentence-transformers",
    facts: CardFacts | None = None,
    overwrite: bool = False,
) -> Exported:
    """Write an encoder as a directory for others.

    Parameters
    ----------
    texts
        The vocabulary is cut to what these need, so that their vectors stay; None: it stays whole.
    min_count
        Tokens that occur less often in `texts` are left out, which changes the texts with them.
    quantize
        ``"int8"``: the matrices of the transformer in 8 bits, which `Encoder.load` alone reads.
    form
        ``"sentence-transformers"``, which `Encoder.load` reads too; ``"onnx"``: one graph and the
        tokenizer, see `onnx_file`.
    facts
        What the model card says; None: nothing beside what the encoder knows.

    Raises
    ------
    InputError
        When `folder` exists and `overwrite` is false, the encoder is a table of words or has a
        transform, its tokenizer cannot be pruned, or the vectors are others.
    """
    if form == "onnx":
        if quantize is not None:
            raise InputError("8 bits are for sentence-transformers directories; leave out quantize")
        refuse_without_onnx()
    with atomic_directory(folder, overwrite=overwrite) as made:
        directory = made if form == "sentence-transformers" else made / PLAIN
        directory.mkdir(exist_ok=True)
        done = _fill(
            encoder, directory, texts=texts, min_count=min_count, quantize=quantize,
            facts=replace(facts or CardFacts(), library=_reader(form, quantize)),
        )  # fmt: skip
        return done if form == "sentence-transformers" else _as_onnx(done, directory, made)


def _reader(form: Form, quantize: Quantize | None) -> str:
    """Return the library that reads what is made."""
    if form == "onnx":
        return "onnx"
    return "sentence-transformers" if quantize is None else "isogloss"


def _as_onnx(done: Exported, directory: Path, made: Path) -> Exported:
    """Write the graph of an exported encoder in place of its directory."""
    encoder = Encoder.load(directory, device="cpu")
    difference = write_onnx(encoder, trainable_network(encoder, "cpu"), made)
    for name in (RECORD, CARD):
        (directory / name).rename(made / name)
    shutil.rmtree(directory)
    n_bytes = sum(file.stat().st_size for file in made.iterdir() if file.name not in (RECORD, CARD))
    return replace(done, after=Sizes(done.after.n_tokens, n_bytes), parity=difference)


def _fill(
    encoder: Encoder,
    made: Path,
    *,
    texts: Sequence[str] | None,
    min_count: int,
    quantize: Quantize | None,
    facts: CardFacts,
) -> Exported:
    """Write a sentence-transformers directory into an empty folder, and compare."""
    network = _network(encoder)
    refuse_pooler(encoder.settings.pooling.value)
    found = None
    if texts is not None:
        found = prune(encoder, texts, encoder._chain.root, min_count=min_count)
        keep_rows(network, found.kept)
    record = _record(encoder, found, texts, quantize)
    limits = [*facts.limits, *_limits(found, quantize)]
    card = card_of(
        record, replace(facts, limits=limits), encoder.settings, width=encoder.width
    )  # fmt: skip
    fill_directory(finished_full(encoder, network), made, card=card, record=record)
    transformer = transformer_folder(made)
    if found is not None:
        write_vocabulary(found, made)
    if quantize is not None:
        _quantize(transformer)
    before = Sizes(
        encoder.tokenizer.backend.get_vocab_size(), size_of(encoder._chain.transformer)
    )  # fmt: skip
    difference, cosines = compare(
        encoder, Encoder.load(made, device=encoder.device, threads=encoder.threads,
                              dtype=encoder.dtype),
        evenly(texts, N_COMPARED) if texts is not None else texts_in_ten_scripts(),
    )  # fmt: skip
    n_changed = 0 if found is None else found.n_changed
    is_equal = quantize is None and not n_changed
    if not n_changed:  # what the user's own choice of tokens changes is said, not refused
        _refuse_others(difference, cosines, is_equal=is_equal)
    n_after = before.n_tokens if found is None else len(found.kept)
    return Exported(
        before, Sizes(n_after, size_of(transformer)),
        difference if is_equal else None, cosines, n_changed,
    )  # fmt: skip


def compare(before: Encoder, after: Encoder, texts: list[str]) -> tuple[float, Doubles1d]:
    """Return the largest difference of unit vectors of two encoders, and their cosines."""
    one, other = (_unit(encoder, texts) for encoder in (before, after))
    cosines: Doubles1d = np.einsum("ij,ij->i", one, other, dtype=np.float64)
    return float(np.abs(one - other).max(initial=0.0)), cosines


def size_of(transformer: Path) -> int:
    """Return the bytes of weights and tokenizer in the folder of a transformer."""
    tokenizer = [transformer / "tokenizer.json"]
    if not tokenizer[0].is_file():
        tokenizer = [file for kind in TOKENIZER_FILES for file in transformer.glob(kind)]
    return sum(file.stat().st_size for file in [*check_weights(transformer), *tokenizer])


def _network(encoder: Encoder) -> Network:
    check_untuned(encoder)
    if not isinstance(encoder.network, Network):
        raise InputError(f"{encoder.name} is a table of word vectors, which is exported by copying")
    if encoder.transform is not None:
        raise InputError(
            f"{encoder.name} has a transform, which no directory holds; export it with "
            "with_transform(None)"
        )
    return trainable_network(encoder, "cpu")


def _record(
    encoder: Encoder,
    found: PrunedVocabulary | None,
    texts: Sequence[str] | None,
    quantize: Quantize | None,
) -> Record:
    record = Record.of(encoder.name)
    if found is not None:
        record = record.and_then(
            f"vocabulary pruned to {len(found.kept):,} tokens",
            settings=f"what {len(texts or ()):,} texts need",
        )
    if quantize is not None:
        record = record.and_then("weights in 8 bits", settings="one scale a row")
    return record


def _limits(found: PrunedVocabulary | None, quantize: Quantize | None) -> list[str]:
    said = []
    if found is not None:
        said.append(
            "The vocabulary was pruned: texts unlike those that it was pruned to are cut into more "
            "tokens than before, and are represented worse."
        )
    return said + ([ONLY_HERE] if quantize else [])


def _quantize(transformer: Path) -> None:
    from safetensors.torch import load_file

    path = transformer / ONE_FILE
    write_int8(load_file(path), transformer)
    path.unlink()


def _refuse_others(difference: float, cosines: Doubles1d, *, is_equal: bool) -> None:
    """Refuse what gives other vectors than the encoder."""
    if is_equal and not difference <= EQUAL:
        raise InputError(
            f"the vectors of what was written differ by {difference:.1e} from the encoder's; "
            "nothing is kept"
        )
    if not cosines.mean() >= LEAST_COSINE:
        raise InputError(
            f"in 8 bits vectors have a mean cosine of {cosines.mean():.3f} with the encoder's; "
            "leave out --quantize"
        )


def _unit(encoder: Encoder, texts: list[str]) -> Floats2d:
    vectors: Any = encoder.encode_counted(texts, normalize=True, long_texts="cut").vectors
    return vectors
