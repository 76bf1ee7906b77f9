"""``isogloss classify predict`` of a folder or glob of parts: a Parquet part for each."""

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from isogloss.classify.answers.parts import AnswerOptions, summary_of
from isogloss.classify.answers.summary import read_summary
from isogloss.classify.audit.saved import audits_of
from isogloss.cli import options
from isogloss.cli.classify.answered import AnsweredFile, say_answers
from isogloss.cli.classify.model import Model
from isogloss.cli.classify.trust import say_uncalibrated
from isogloss.cli.groups import Given
from isogloss.cli.languages import LanguageCounts
from isogloss.cli.parts import PartsOptions, found_parts, job_of, make_parts, texts_settings
from isogloss.data.row_languages import check_language
from isogloss.parts.folder import SUMMARY
from isogloss.parts.footer import PartFooter, RunFacts


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
    executor = parts.made_by(saved.threads)
    cache = None if asked.cache is None else Path(asked.cache)
    found = found_parts(texts, made.out, saved.model, saved.kb, saved.encoder, cache=cache)
    assert made.out is not None
    about = saved.about(given)
    check_language(
        texts.lang, has_column=texts.lang_column is not None, is_needed=about.uses_language
    )
    asked = msgspec.structs.replace(
        asked, encoder=saved.encoder, kb=None if saved.kb is None else str(saved.kb),
        device=saved.device, threads=executor.threads_each, prefix=made.prefix or "",
        with_scores=made.scores, with_examples=made.examples,
    )  # fmt: skip
    settings = texts_settings(texts, parts) | asked.settings
    name = saved.model.resolve().name
    run = RunFacts("classify predict", name, about.fingerprint, settings)
    job = job_of(
        "isogloss.classify.answers.parts", asked, run, texts, parts, found=found, made_by=executor,
        is_strict=output.strict,
        summary_of=partial(
            _document, labels=[str(label) for label in about.classes],
            audits=audits_of(saved.model),
        ),
    )  # fmt: skip
    report = make_parts(job, found, made.out, parts, executor)
    place = made.out / SUMMARY
    if place.exists():
        say_answers(read_summary(place), made.out, LanguageCounts(), as_json=output.as_json)
    say_uncalibrated(about.trust, asked.abstain_below)
    report.refuse_failures(made.out)


def _document(footers: Iterable[PartFooter], **of_model: Any) -> dict[str, Any]:
    return summary_of(footers, **of_model).document
