"""Whether one offset translates, in every layer of an encoder: pairs of sentences in, tables out.

Encoding and search are those of `probe.neutrality`.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict
from functools import partial
from pathlib import Path

from isogloss.data.pairs import PairFile, read_pairs
from isogloss.data.parallel import ParallelTexts, parallel_texts
from isogloss.encode import Encoder
from isogloss.errors import InputError, counted, warn_omitted
from isogloss.probe.neutrality.encoding import encoded_layers, note_on_sentences, notes_on
from isogloss.probe.neutrality.layer import Division
from isogloss.probe.saved import Row
from isogloss.probe.translation.claims import claims_of
from isogloss.probe.translation.layer import (
    BACK,
    FORWARDS,
    PAPER,
    LayerTranslation,
    Search,
    measure_layer,
)
from isogloss.probe.translation.result import MeasuredTranslation, TranslationOptions
from isogloss.statistics.draws import columns_of
from isogloss.statistics.intervals import Interval, interval_of_shares

# Columns of the table of layers, and whose accuracy they are, from the first language.
_COLUMNS = {
    "without_offset": Search("none", "all", "L2"),
    "cosine": Search("in-sample", "all", "cosine"),
    "csls": Search("in-sample", "all", "CSLS"),
    "in_half": Search("in-sample", "half", "L2"),
    "held_out": Search("held-out", "half", "L2"),
}


def measure_translation(
    encoder: Encoder, pairs: ParallelTexts, *, options: TranslationOptions | None = None
) -> MeasuredTranslation:
    """Measure in which layers the mean offset of two languages takes a sentence to its translation.

    A sentence's vector is the mean of the states of its own tokens: special tokens and the
    encoder's prefix are read and not averaged, its own pooling and what comes after it are left
    out.

    Parameters
    ----------
    pairs
        Texts of two languages.
    options
        None: the defaults.

    Returns
    -------
    What `TranslationResult` makes tables of.

    Raises
    ------
    InputError
        For too few pairs, or other than two languages; when the disk has no room.

    Warns
    -----
    OmissionWarning
        With the number of sentences that the encoder cut, or that have no token of their own.

    Examples
    --------
    ``measure_translation(Encoder.load(), parallel_texts({"en": […], "de": […]}))``
    """
    options = options or TranslationOptions()
    check_pairs(pairs, options)
    drawn = pairs.drawn(options.max_pairs, seed=options.seed)
    division = Division.of(drawn.n_sentences, seed=options.seed)
    omissions: list[str] = []
    encoded = encoded_layers(
        encoder, drawn, tokens="text", option="--max-pairs", say=partial(_say, omissions.append)
    )
    with closing(encoded) as layers:
        found = [
            measure_layer(one.number, one.vectors, division, n_neighbours=options.n_neighbours)
            for one in layers
        ]
    lang, other = drawn.langs
    return MeasuredTranslation(
        encoder.name, lang, other,
        tables={
            "layers": [_row_of(one, division) for one in found],
            "searches": [row for one in found for row in _searches_of(one)],
            "claims": [asdict(one) for one in claims_of(found, division.resampling)],
        },
        notes=[_note(pairs, drawn), *notes_on(encoder, "text")],
        omissions=omissions,
    )  # fmt: skip


def read_translations(
    files: Sequence[PairFile], options: TranslationOptions
) -> list[ParallelTexts]:
    """Read files of pairs; all are looked at before an encoder is loaded.

    Raises
    ------
    InputError
        When two files are of the same languages, or one has too few pairs; and what `read_pairs`
        raises.
    """
    met: dict[tuple[str, str], Path] = {}
    for file in files:
        langs = file.first, file.second
        if langs in met:
            raise InputError(
                f"is of {file.first}-{file.second}, as {met[langs]} is; give one file for each two "
                "languages",
                path=file.path,
            )
        met[langs] = file.path
    found = []
    for file in files:
        read = read_pairs(file)
        found.append(parallel_texts({file.first: read.firsts, file.second: read.seconds}))
        check_pairs(found[-1], options, path=file.path)
    return found


def check_pairs(
    pairs: ParallelTexts, options: TranslationOptions, *, path: Path | None = None
) -> None:
    """Refuse too few pairs, and other than two languages.

    Parameters
    ----------
    path
        File that the pairs are of, for the sentence.

    Raises
    ------
    InputError
        With how many there are and how many it takes.
    """
    if len(pairs.langs) != 2:
        raise InputError(f"pairs are of two languages, not of {len(pairs.langs)}", path=path)
    least = 2 * (options.n_neighbours + 1)
    n = min(pairs.n_sentences, options.max_pairs)
    if n < least:
        left_out = pairs.n_empty + pairs.n_repeated
        raise InputError(
            f"{counted(n, 'pair')} of sentences, {left_out:,} left out as empty or repeated; "
            f"translation with {options.n_neighbours} neighbours needs {least} or more: give more "
            "pairs or fewer --neighbours",
            path=path,
        )


def _say(keep: Callable[[str], None], omission: str) -> None:
    keep(omission)
    warn_omitted(omission)


def _note(pairs: ParallelTexts, drawn: ParallelTexts) -> str:
    n = drawn.n_sentences
    return (
        f"{'-'.join(drawn.langs)}: {note_on_sentences(pairs, drawn)}; chance 1 in {n:,}, 1 in "
        f"{n / 2:,.0f} among half of them"
    )


def _row_of(found: LayerTranslation, division: Division) -> Row:
    n = len(division.is_second_half)
    columns = {"accuracy": _accuracy(found, PAPER), "accuracy_back": _accuracy(found, PAPER, BACK)}
    columns |= {name: _accuracy(found, search) for name, search in _COLUMNS.items()}
    flattered, honest = (
        division.resampling.share(found.shares(_COLUMNS[name])) for name in ("in_half", "held_out")
    )
    columns["optimism"] = flattered.minus(honest).interval
    row: Row = {"layer": found.layer, "n": n, "chance": 1 / n}
    for name, interval in columns.items():
        row |= columns_of(name, interval)
    return row


def _searches_of(found: LayerTranslation) -> Iterator[Row]:
    for search, hits in found.hits.items():
        n = hits.shape[1] if search.among == "all" else hits.shape[1] / 2
        yield {
            "layer": found.layer,
            **search._asdict(),
            "chance": 1 / n,
            **columns_of("accuracy", _accuracy(found, search)),
            **columns_of("accuracy_back", _accuracy(found, search, BACK)),
        }


def _accuracy(found: LayerTranslation, search: Search, way: int = FORWARDS) -> Interval:
    return interval_of_shares(found.shares(search, way))
