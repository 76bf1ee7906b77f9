"""How neutral an encoder's sentence vectors are towards language, layer by layer.

`encoding` gives the vectors, one layer after the other, and `layer` measures each.
"""

from contextlib import closing
from itertools import combinations

from isogloss.data.parallel import ParallelTexts
from isogloss.encode import Encoder
from isogloss.errors import InputError, counted
from isogloss.probe.neutrality.cka import MIN_SENTENCES
from isogloss.probe.neutrality.encoding import encoded_layers, note_on_sentences, notes_on
from isogloss.probe.neutrality.layer import Division, measure_layer
from isogloss.probe.neutrality.result import MeasuredNeutrality, NeutralityOptions
from isogloss.retrieve.neighbours import Pair


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
    with closing(encoded_layers(encoder, drawn)) as layers:
        measured = [
            measure_layer(
                one.number, one.vectors, drawn.langs, pairs, division,
                n_neighbours=options.n_neighbours,
            )
            for one in layers
        ]  # fmt: skip
    notes = [_note(parallel, drawn, options), *notes_on(encoder)]
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


def _note(parallel: ParallelTexts, drawn: ParallelTexts, options: NeutralityOptions) -> str:
    n, langs = drawn.n_sentences, drawn.langs
    searched = "all pairs" if options.all_pairs else f"pairs with {langs[0]}"
    return (
        f"{note_on_sentences(parallel, drawn)}; retrieval in {searched}, among {n // 2:,} or "
        f"{n - n // 2:,} sentences; chance of the language probe 1 in {len(langs)}"
    )
