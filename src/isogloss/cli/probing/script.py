"""``isogloss probe script``: taggers on romanised and code-switched text."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli import options
from isogloss.cli.groups import OnlyWith, grouped
from isogloss.cli.places import places_read
from isogloss.cli.probing.explained import Folder
from isogloss.cli.probing.results import print_result, say_written
from isogloss.errors import InputError, counted, warn_omitted
from isogloss.kb import KnowledgeBase
from isogloss.probe.transfer.altered.alterations import (
    Alteration,
    Dictionaries,
    by_language_of_words,
    romanising,
    switching,
)
from isogloss.probe.transfer.matrix.controls import Candidate
from isogloss.probe.transfer.matrix.runs import ALTERED
from isogloss.probe.transfer.matrix.saved import read_matrix
from isogloss.probe.transfer.script.dictionary import dictionary_of_names, read_dictionary
from isogloss.storage.files import refuse_read
from isogloss.text.languages import LanguageFile, parse_language

_FOR_SWITCHING = OnlyWith(
    "dictionary", "kb", why="is for code-switching; give --dictionary or --kb too"
)


@dataclass(frozen=True, kw_only=True)
class Altered:
    """How text is altered."""

    lang: Annotated[str, typer.Option(help="Test language of the matrix whose text is altered.")]
    romanise: Annotated[
        bool, typer.Option("--romanise", help="Write the text in Latin letters, by uroman.")
    ] = False
    dictionary: Annotated[
        Path | None,
        typer.Option(help="Dictionary to code-switch by: word, tab, translation, a line each."),
    ] = None
    kb: Annotated[
        Path | None, typer.Option(help="Knowledge base to code-switch by: its names.")
    ] = None
    into: Annotated[
        str,
        typer.Option(help="Language of the words that are switched to."),
        OnlyWith("kb", why="is for --kb; give that too"),
    ] = "en"
    switch: Annotated[
        str,
        typer.Option(help="Percentages of the words in the dictionary that are switched."),
        _FOR_SWITCHING,
    ] = "25,50,100"
    code_switched: Annotated[
        Path | None,
        typer.Option(help="Code-switched CoNLL-U, scored by the Lang= of its last column."),
    ] = None


@grouped
def script(
    matrix: Folder,
    altered: Altered,
    compute: options.Precise,
    output: options.Output,
    out: Annotated[
        Path, typer.Option(help="Folder of the runs and tables; the same command resumes there.")
    ],
) -> None:
    """Test the taggers of a matrix on romanised and code-switched text, and train on it."""
    refuse_read(out, places_read([matrix, altered.dictionary, altered.kb, altered.code_switched]))
    ALTERED.check_place(out)
    lang = parse_language(altered.lang)
    if altered.dictionary is not None and altered.kb is not None:
        raise InputError("--dictionary and --kb both say how to switch; give one of them")
    if not (altered.romanise or altered.dictionary or altered.kb or altered.code_switched):
        raise InputError(
            "nothing is altered; give --romanise, --dictionary, --kb or --code-switched"
        )
    saved = read_matrix(matrix)
    alterations = _alterations(altered, lang, int(saved.options["seed"]))
    mixed = {}
    if altered.code_switched is not None:
        if saved.matrix.task != "upos":
            raise InputError("--code-switched is of words with one tag each; measure --task upos")
        mixed = by_language_of_words(LanguageFile(lang, altered.code_switched))
    how = vars(compute)
    systems = [
        Candidate(
            one, saved.place_of(one.encoder), partial(saved.load_encoder, one.encoder, **how),
            str(saved.options["layer"]),
        )
        for one in saved.matrix.systems if not one.is_control
    ]  # fmt: skip
    from isogloss.probe.transfer.altered.measure import ScriptOptions, measure_script

    asked = ScriptOptions(
        str(matrix), lang, altered.romanise, altered.switch, _text(altered.dictionary),
        _text(altered.kb), altered.into if altered.kb else None, _text(altered.code_switched),
    )  # fmt: skip
    result = measure_script(saved, systems, alterations, mixed, options=asked, runs=out)
    result.write_beside_runs(out)
    say_written(out)
    print_result(result, (result.scores,), as_json=output.as_json)


def _alterations(altered: Altered, lang: str, seed: int) -> list[Alteration]:
    found = [romanising()] if altered.romanise else []
    translations: Dictionaries | None = None
    if altered.dictionary is not None:
        dictionary = read_dictionary(altered.dictionary)
        if dictionary.n_several:
            several = counted(dictionary.n_several, "entry", "entries")
            warn_omitted(
                f"{altered.dictionary}: {several} with several words on a side left out, as tags "
                "are of words"
            )
        translations = lambda _words: dictionary  # noqa: E731
    elif altered.kb is not None:
        knowledge_base, into = KnowledgeBase.open(altered.kb), parse_language(altered.into)
        translations = lambda words: dictionary_of_names(  # noqa: E731
            knowledge_base, words, lang=lang, into=into
        )
    if translations is not None:
        found += switching(_shares(altered.switch), translations, seed=seed)
    return found


def _shares(value: str) -> list[float]:
    """Return percentages as shares.

    Raises
    ------
    InputError
        For what is no percentage.
    """
    parts = options.listed(value, "--switch")
    shares = [int(part) / 100 for part in parts if part.isdecimal() and len(part) <= 3]
    if not shares or len(shares) < len(parts) or not all(0 < share <= 1 for share in shares):
        raise InputError(f"--switch is '{value:.40}'; give percentages, as in 25,50,100")
    return shares


def _text(path: Path | None) -> str | None:
    return None if path is None else str(path)
