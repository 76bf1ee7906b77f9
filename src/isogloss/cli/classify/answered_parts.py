"""``isogloss classify predict`` of a folder or glob of parts: a Parquet part for each."""

from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from isogloss.classify.answers.parts import AnswerOptions, summary_of
from isogloss.classify.answers.summary import read_summary, versions
from isogloss.cli import options
from isogloss.cli.classify.answered import AnsweredFile, say_answers
from isogloss.cli.classify.model import Model
from isogloss.cli.classify.trust import say_uncalibrated
from isogloss.cli.groups import Given
from isogloss.cli.languages import LanguageCounts
from isogloss.cli.parts import PartsOptions, found_parts, make_parts
from isogloss.data.row_languages import check_language
from isogloss.errors import InputError
from isogloss.parts.folder import SUMMARY, refuse_folder
from isogloss.parts.footer import RunFacts
from isogloss.parts.run import PartsJob


def answer_parts(
    given: Given,
    made: AnsweredFile,
    saved: Model,
    texts: options.TextsInLanguages,
    parts: PartsOptions,
    asked: AnswerOptions,
    output: options.Output,
) -> None:
    """Make a part with answers for each part; say what came of each language.

    Raises
    ------
    InputError
        At the end, where a source could not be read; the others are done then.
    """
    cache = None if asked.cache is None else Path(asked.cache)
    found = found_parts(texts.file, made.out, saved.model, saved.kb, saved.encoder, cache=cache)
    assert made.out is not None
    about = saved.about(given)
    check_language(
        texts.lang, has_column=texts.lang_column is not None, is_needed=about.uses_language
    )
    if texts.sheet is not None:
        raise InputError("--sheet is for .xlsx, which is no part; leave it out")
    asked = msgspec.structs.replace(
        asked, encoder=saved.encoder, kb=None if saved.kb is None else str(saved.kb),
        device=saved.device, threads=parts.threads_each(saved.threads), prefix=made.prefix or "",
        with_scores=made.scores, with_examples=made.examples,
    )  # fmt: skip
    settings: dict[str, Any] = {
        "text": texts.text, "lang": texts.lang, "lang_column": texts.lang_column,
        "keep": list(parts.kept), "quoting": texts.quoting, "encoding": texts.encoding,
        **asked.settings,
    }  # fmt: skip
    name = saved.model.resolve().name
    run = RunFacts("classify predict", name, about.fingerprint, settings)
    refuse_folder(made.out, run)
    labels = [str(label) for label in about.classes]
    job = PartsJob(
        "isogloss.classify.answers.parts", msgspec.to_builtins(asked), run, texts.format(),
        texts.lang, parts.kept, versions(),
        partial(_document, name=found.root.resolve().name, labels=labels),
        is_strict=output.strict,
    )  # fmt: skip
    report = make_parts(job, found, made.out, parts)
    place = made.out / SUMMARY
    if place.exists():
        say_answers(read_summary(place), made.out, LanguageCounts(), as_json=output.as_json)
    say_uncalibrated(about.trust, asked.abstain_below)
    report.refuse_failures(made.out)


def _document(footers: Any, *, name: str, labels: list[str]) -> dict[str, Any]:
    return summary_of(footers, name=name, labels=labels).document
