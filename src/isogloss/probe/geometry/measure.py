"""The geometry of an encoder's layers (Ethayarajh 2019): counting, encoding, measures.

How context-specific words are, how alike random words are, and how much of a word's vectors one
static vector explains. `occurrences` counts and draws, `word_vectors` encodes, `sums` keeps what is
needed, `layers` measures, `claims` judges.
"""

from collections.abc import Iterable, Iterator
from dataclasses import asdict

from isogloss.data.columns import check_column
from isogloss.encode import Encoder
from isogloss.encode.batches import text_chunks
from isogloss.encode.words.sentence_windows import Dropped
from isogloss.encode.words.tokens_of_words import TokenUnits, Unit, Units, WordUnits
from isogloss.encode.words.word_vectors import network_of
from isogloss.errors import InputKindError, counted, warn_omitted
from isogloss.probe.final_norm import has_final_norm, note_on_final_norm
from isogloss.probe.geometry.claims import claims_of
from isogloss.probe.geometry.layers import measure_layers, measure_words
from isogloss.probe.geometry.occurrences import Choice, Sentence, choose
from isogloss.probe.geometry.result import GeometryOptions, Measured
from isogloss.probe.geometry.static_words import StaticWords
from isogloss.probe.geometry.sums import VectorSums
from isogloss.probe.geometry.vector_file import LayerVectors
from isogloss.probe.geometry.word_vectors import add_word_vectors
from isogloss.progress import activity
from isogloss.text.languages import parse_language

WORD_NOTE = (
    "a word is a segment of ICU's word boundaries with a letter or digit, as it is written "
    "(capitals count); its vector is the mean of its tokens"
)
TOKEN_NOTE = "a word is a token of the encoder's tokenizer with a letter or digit"


def measure_geometry(
    encoder: Encoder,
    texts: Iterable[str],
    *,
    lang: str,
    unit: Unit = "word",
    options: GeometryOptions | None = None,
    static: StaticWords | None = None,
) -> Measured:
    """Measure the layers of an encoder on texts of a language.

    Parameters
    ----------
    encoder
        A transformer; of an encoder-decoder the encoder (`Encoder.load`, ``encoder_half``).
    texts
        One sentence each. They are walked through twice, so an iterator will not do.
    lang
        Their language, for word boundaries.
    unit
        ``"word"``, or ``"token"`` for the encoder's own tokens.
    options
        None: the defaults.
    static
        Where to put static vectors of the words; None: nowhere.

    Returns
    -------
    What `GeometryResult` makes tables of.

    Raises
    ------
    InputKindError
        For a single string, an iterator, or an element that is no string.
    InputError
        When no word occurs often enough; for a static encoder; for a vector that is not finite;
        when ICU's package is missing; when the disk has no room.

    Warns
    -----
    OmissionWarning
        With the number of words that were cut off or have no token.

    Examples
    --------
    ``measure_geometry(Encoder.load(), open("sentences.txt").readlines(), lang="en")``
    """
    check_column(texts, "texts", of="sentences")
    if isinstance(texts, Iterator):
        raise InputKindError("texts is an iterator; give a list, as it is walked through twice")
    lang, options = parse_language(lang), options or GeometryOptions()
    network = network_of(encoder)
    if static is not None:
        static.check_layer(network.n_layers + 1, name=encoder.name)
    units: Units = TokenUnits(encoder.tokenizer) if unit == "token" else WordUnits(lang)
    with activity("counting words"):
        sentences = (
            Sentence(text, units.names(text)) for some in text_chunks(texts) for text in some
        )
        choice = _choice(sentences, options)
    with VectorSums(choice, n_layers=network.n_layers + 1, width=network.hidden_size) as sums:
        dropped = add_word_vectors(sums, encoder, texts, units, choice)
        _warn(dropped, encoder.settings.max_length.value)
        notes = [TOKEN_NOTE if unit == "token" else WORD_NOTE, *_notes_on(encoder)]
        return _measured(sums, encoder.name, lang, notes, options, static)


def measure_vectors(
    vectors: LayerVectors,
    *,
    name: str,
    lang: str,
    options: GeometryOptions | None = None,
    static: StaticWords | None = None,
) -> Measured:
    """Measure layers that another program has made vectors of, as `measure_geometry` does.

    `name` stands in the tables where the encoder would; see `vector_file`.
    """
    options = options or GeometryOptions()
    if static is not None:
        static.check_layer(len(vectors.layers), name=name)
    choice = _choice(vectors.sentences(), options)
    width = vectors.layers[0].shape[1]
    with VectorSums(choice, n_layers=len(vectors.layers), width=width) as sums:
        vectors.add_to(sums, choice)
        notes = ["words and vectors are those of the file, signs left out"]
        return _measured(sums, name, parse_language(lang), notes, options, static)


def _choice(sentences: Iterable[Sentence], options: GeometryOptions) -> Choice:
    return choose(sentences, **asdict(options))


def _measured(
    sums: VectorSums, name: str, lang: str, notes: list[str], options: GeometryOptions,
    static: StaticWords | None,
) -> Measured:  # fmt: skip
    with activity("measuring layers"):
        words = measure_words(sums)
        layers = list(measure_layers(sums, words, seed=options.seed))
    if static is not None:
        static.add(sums, lang=lang, name=name)
    said = _note_on_texts(sums, words.words, name, lang, options)
    return Measured(name, lang, layers, words, claims_of(layers), [*notes, said])


def _note_on_texts(
    sums: VectorSums, words: list[str], name: str, lang: str, options: GeometryOptions
) -> str:
    counts = sums.choice.counts
    n_random = int(sums.has_random.sum())
    return (
        f"{name}, {lang}: {counted(len(words), 'word')} of {counts.n_eligible:,} in "
        f"{options.min_contexts} sentences or more, of {counted(counts.n_sentences, 'sentence')} "
        f"({counts.n_duplicates:,} met before left out); MEV of at most {sums.choice.n_most_drawn} "
        f"occurrences of a word; {counted(n_random, 'random word')}"
    )


def _notes_on(encoder: Encoder) -> list[str]:
    notes = []
    if getattr(network_of(encoder).model.config, "is_encoder_decoder", False):
        notes.append(f"{encoder.name}: the encoder of an encoder-decoder")
    if has_final_norm(encoder):
        notes.append(note_on_final_norm(encoder))
    return notes


def _warn(dropped: Dropped, max_length: int) -> None:
    n_omitted = dropped.n_cut + dropped.n_without_token
    if n_omitted:
        warn_omitted(
            f"{n_omitted:,} of {counted(dropped.n_words, 'word')} to measure have no vector: "
            f"{dropped.n_cut:,} lie beyond the encoder's maximum of {max_length} tokens, "
            f"{dropped.n_without_token:,} have no token; give one sentence a line"
        )
