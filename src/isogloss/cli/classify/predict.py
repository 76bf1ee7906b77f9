"""``isogloss classify predict``: labels of texts, written as blocks of the file are ready."""

from itertools import chain

from isogloss.classify.answers.answers import Answering, Answers
from isogloss.classify.answers.parts import AnswerOptions
from isogloss.cli import options
from isogloss.cli.classify.adapt import say_corrections
from isogloss.cli.classify.answered import AnsweredFile, answer_to_file, say_answers
from isogloss.cli.classify.answered_parts import answer_parts
from isogloss.cli.classify.answers import print_json, print_lines, say_changed_labels
from isogloss.cli.classify.model import AbstainBelow, FallbackLang, Model
from isogloss.cli.classify.trust import say_uncalibrated
from isogloss.cli.groups import Given, grouped
from isogloss.cli.languages import LanguageCounts, checked_language
from isogloss.cli.parts import PartsOptions
from isogloss.parts.finding import is_many
from isogloss.parts.source import ROWS
from isogloss.totals import told_with_totals


@grouped
def predict_command(
    given: Given,
    saved: Model,
    texts: options.TextsInLanguages,
    output: options.Output,
    made: AnsweredFile,
    parts: PartsOptions,
    fallback_lang: FallbackLang = None,
    abstain_below: AbstainBelow = None,
    cache: options.Cache = None,
) -> None:
    """Predict labels; a line a text: label, tab, probability. With --out: rows, in a file.

    Of a model that gives label sets: labels joined by |, tab, their probabilities joined by |;
    the labels are a JSON list where one of the model's holds a separator. Lines are printed as
    blocks of the file are ready, and --json at the end; with --out that is the summary. FILE may be
    a folder or a glob of parts, 'in/*.parquet': each becomes a part of --out, and none is done
    twice.
    """
    given.refuse_useless({"@parts": is_many(texts.file)})
    if is_many(texts.file):
        answer_parts(given, made, saved, texts, parts, AnswerOptions(
            model=str(saved.model), fallback_lang=checked_language(fallback_lang),
            abstain_below=abstain_below, cache=None if cache is None else str(cache),
        ), output)  # fmt: skip
        return
    made.refuse_places(saved, texts.file, cache)
    about = saved.about(given)
    fallback_lang = checked_language(fallback_lang)
    counts = LanguageCounts()
    if made.out is not None:
        loaded, summary = answer_to_file(
            made, saved, about, texts, fallback_lang=fallback_lang, abstain_below=abstain_below,
            cache=cache,
        )  # fmt: skip
        say_answers(summary, made.out, counts, as_json=output.as_json)
    else:
        command = f"classify predict {saved.model}"
        # JSON is one document.
        blocks = iter([texts.read(command)]) if output.as_json else texts.blocks(command, rows=ROWS)
        is_needed = about.uses_language
        read = ((some, texts.languages_of(some, is_needed=is_needed)) for some in blocks)
        with told_with_totals():
            first = next(read)  # whose faults are said before the encoder is loaded
            loaded = saved.load(cache)
            answering = Answering(
                loaded, fallback_lang, abstain_below, with_entities=False,
                with_examples=output.as_json,
            )  # fmt: skip
            if not output.as_json:
                say_changed_labels(loaded)
            for documents, langs in chain([first], read):
                answers = answering.answer(documents.texts, langs)
                if output.as_json:
                    print_json(loaded, answers, ids=documents.ids)
                else:
                    print_lines(loaded, answers)
                counts.add(answers.langs, **_flags(answers, abstain_below))
        counts.say()
    say_corrections(loaded, counts)
    say_uncalibrated(loaded.trust, abstain_below)


def _flags(answers: Answers, abstain_below: float | None) -> dict[str, list[bool]]:
    flags = {"cut": ["cut" in states for states in answers.states]}
    if answers.is_linked is not None:
        flags = {"linked": answers.is_linked.tolist()} | flags
    if abstain_below is not None:
        flags["without_a_label"] = ["abstained" in states for states in answers.states]
    return flags
