"""How neutral an encoder's sentence vectors are towards language, layer by layer.

One encoding pass writes the vectors of all layers to a scratch file; `layer` measures
one layer after the other, so that memory holds one layer.
"""

import shutil
import tempfile
from itertools import combinations
from pathlib import Path

import numpy as np
import numpy.typing as npt

from isogloss.data.parallel import ParallelTexts
from isogloss.encode import Encoder
from isogloss.encode.model import Network
from isogloss.errors import InputError, counted, warn_omitted
from isogloss.learn.threads import one_thread
from isogloss.probe.final_norm import has_final_norm, note_on_final_norm
from isogloss.probe.neutrality.cka import MIN_SENTENCES
from isogloss.probe.neutrality.layer import Division, measure_layer
from isogloss.probe.neutrality.result import MeasuredNeutrality, NeutralityOptions
from isogloss.progress import progress
from isogloss.retrieve.neighbours import Pair

Vectors = npt.NDArray[np.float32]


def measure_neutrality(
    encoder: Encoder, parallel: ParallelTexts, *, options: NeutralityOptions | None = None
) -> MeasuredNeutrality:
    """Measure the layers of an encoder on parallel text.

    Parameters
    ----------
    encoder
        Its own pooling and prefix are used. Where modules after the pooling belong to the last
        layer, only that is measured.
    parallel
        Two languages or more; the first is the pivot of retrieval.
    options
        None: the defaults.

    Returns
    -------
    What `NeutralityResult` makes tables of.

    Raises
    ------
    InputError
        For too few sentences; when the disk has no room.

    Warns
    -----
    OmissionWarning
        With the number of sentences that the encoder cut.

    Examples
    --------
    ``measure_neutrality(Encoder.load(), parallel_texts({"en": […], "de": […]}))``
    """
    options = options or NeutralityOptions()
    check_sentences(parallel, options)
    drawn = parallel.drawn(options.max_sentences, seed=options.seed)
    division = Division.of(drawn.n_sentences, seed=options.seed)
    pairs = _pairs(len(drawn.langs), all_pairs=options.all_pairs)
    numbers = _layers_of(encoder)
    measured = []
    with tempfile.TemporaryDirectory(prefix="isogloss-") as folder:
        layers = _encoded(encoder, drawn, numbers, Path(folder))
        with one_thread(), progress("measuring layers", len(numbers), "layers") as advance:
            for number, vectors in zip(numbers, layers, strict=True):
                measured.append(
                    measure_layer(
                        number, np.array(vectors), drawn.langs, pairs, division,
                        n_neighbours=options.n_neighbours,
                    )
                )  # fmt: skip
                advance(1)
    notes = [_note_on_sentences(parallel, drawn, options), *_notes_on(encoder)]
    return MeasuredNeutrality(encoder.name, drawn.langs, drawn.n_sentences, measured, notes)


def check_sentences(parallel: ParallelTexts, options: NeutralityOptions) -> None:
    """Refuse too few sentences.

    Raises
    ------
    InputError
        With how many there are and how many it takes.
    """
    of_neighbours = 2 * (options.n_neighbours + 1)
    least = max(2 * MIN_SENTENCES, of_neighbours)
    n = min(parallel.n_sentences, options.max_sentences)
    if n < least:
        left_out = parallel.n_empty + parallel.n_repeated
        raise InputError(
            f"{counted(n, 'sentence')} in each language, {left_out:,} left out as empty or "
            f"repeated; neutrality with {options.n_neighbours} neighbours needs {least} or more: "
            f"give more text{' or fewer --neighbours' if least == of_neighbours else ''}"
        )


def _pairs(n_langs: int, *, all_pairs: bool) -> list[Pair]:
    if all_pairs:
        return [Pair(*pair) for pair in combinations(range(n_langs), 2)]
    return [Pair(0, other) for other in range(1, n_langs)]


def _layers_of(encoder: Encoder) -> list[int]:
    only_last = bool(encoder.network.dense) or encoder.settings.pooling.value == "pooler"
    return [encoder.n_layers] if only_last else list(range(encoder.n_layers + 1))


def _encoded(
    encoder: Encoder, parallel: ParallelTexts, numbers: list[int], folder: Path
) -> Vectors:
    """Return the vectors of all layers, mapped: (n_layers, n_langs, n_sentences, width)."""
    texts = [text for some in parallel.texts.values() for text in some]
    n_bytes = len(texts) * len(numbers) * encoder.width * 4
    if n_bytes > shutil.disk_usage(folder).free:
        raise InputError(
            f"the scratch file takes {n_bytes / 1e9:.1f} GB, more than the disk has free; lower "
            "--max-sentences, or set TMPDIR to a larger disk",
            path=folder.parent,
        )
    encoded = encoder.encode_counted(
        texts, layers=numbers, normalize=False, long_texts="cut", out=folder / "layers.npy"
    )  # a mean over windows is no state of the network
    n_cut = int(encoded.truncated.sum())
    if n_cut:
        warn_omitted(
            f"{n_cut} of {len(texts)} texts are longer than {encoder.settings.limit}; only their "
            "beginning is measured"
        )
    return encoded.vectors.reshape(len(numbers), len(parallel.langs), parallel.n_sentences, -1)


def _note_on_sentences(
    parallel: ParallelTexts, drawn: ParallelTexts, options: NeutralityOptions
) -> str:
    n, langs = drawn.n_sentences, drawn.langs
    note = f"{counted(n, 'sentence')} in each of {counted(len(langs), 'language')}"
    if n < parallel.n_sentences:
        note += f", drawn of {parallel.n_sentences:,}"
    if parallel.n_empty or parallel.n_repeated:
        note += (
            f" ({parallel.n_empty:,} left out as empty, {parallel.n_repeated:,} as met before in "
            "a language)"
        )
    searched = "all pairs" if options.all_pairs else f"pairs with {langs[0]}"
    return (
        f"{note}; retrieval in {searched}, among {n // 2:,} or {n - n // 2:,} sentences; chance of "
        f"the language probe 1 in {len(langs)}"
    )


def _notes_on(encoder: Encoder) -> list[str]:
    notes = []
    if len(_layers_of(encoder)) < encoder.n_layers + 1:
        notes.append(
            f"{encoder.name}: the pooler or the modules after the pooling belong to the last "
            "layer, so only that is measured"
        )
    if isinstance(encoder.network, Network) and has_final_norm(encoder):
        notes.append(note_on_final_norm(encoder))
    return notes
