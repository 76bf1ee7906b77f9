"""``isogloss classify``: fit on one language, predict, evaluate and explain in many."""

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from isogloss.classify.audit.saved import audits_of
from isogloss.classify.evaluate.evaluation import evaluate
from isogloss.classify.evaluate.explanation import NO_WEIGHT, explain
from isogloss.classify.fitted import FittedClassifier
from isogloss.classify.saving.manifest import read_manifest
from isogloss.cli import options
from isogloss.cli.classify import audit
from isogloss.cli.classify.adapt import adapt_command, say_corrections
from isogloss.cli.classify.compare import compare_command
from isogloss.cli.classify.drift import drift_command
from isogloss.cli.classify.explanation import print_explanation
from isogloss.cli.classify.export import export_command
from isogloss.cli.classify.fit import fit_command
from isogloss.cli.classify.labelled import read_labelled
from isogloss.cli.classify.model import AbstainBelow, FallbackLang, LabelSeparator, Model
from isogloss.cli.classify.predict import predict_command
from isogloss.cli.classify.trust import forecast_command, say_uncalibrated
from isogloss.cli.groups import Given, grouped
from isogloss.cli.languages import checked_language, say_languages
from isogloss.cli.output import console
from isogloss.cli.places import refuse_inside, refuse_place
from isogloss.errors import InputError
from isogloss.report.html import headline
from isogloss.text.detect import languages_of_texts

app = typer.Typer(help="Classifiers: label in one language, answer in many.",
                  no_args_is_help=True)  # fmt: skip
app.command("fit")(fit_command)
app.command("predict")(predict_command)
app.command("compare")(compare_command)
app.command("forecast")(forecast_command)
app.command("adapt")(adapt_command)
app.command("drift")(drift_command)
app.command("export")(export_command)
app.add_typer(audit.app, name="audit")


@dataclass(frozen=True, kw_only=True)
class ReportFile:
    """The report that is made."""

    report: Annotated[
        Path | None, typer.Option(help="HTML report to make: one file for the browser.")
    ] = None
    overwrite: options.OverwriteReport = False


@app.command("evaluate")
@grouped
def evaluate_command(
    given: Given,
    saved: Model,
    test: options.LabelledFiles,
    columns: options.LabelledColumns,
    made: ReportFile,
    output: options.Output,
    label_separator: LabelSeparator = None,
    fallback_lang: FallbackLang = None,
    versus: Annotated[
        Path | None, typer.Option(help="Second model, for the paired difference.")
    ] = None,
    abstain_below: AbstainBelow = None,
    target: options.Target = None,
    cache: options.Cache = None,
) -> None:
    """Score a model language by language, with intervals."""
    if made.report is not None:
        refuse_place(
            made.report, saved.model, versus, test, saved.kb, saved.encoder,
            overwrite=made.overwrite, makes="file", option="--report",
        )  # fmt: skip
        refuse_inside(made.report, option="--report", cache=cache)
    other_about = None if versus is None else read_manifest(versus)
    about = saved.about(given, other_about)
    audits = {} if made.report is None else audits_of(saved.model)
    fallback_lang = checked_language(fallback_lang)
    if other_about is not None and other_about.multilabel != about.multilabel:
        raise InputError("of the two models one gives label sets; compare models of one kind")
    (tests,) = read_labelled(
        {"--test": test},
        format=columns.format_of(multilabel=about.multilabel, separator=label_separator),
        lang=columns.lang,
        known_labels=[str(label).strip() for label in about.classes],
    )
    if not len(tests):
        raise InputError("no text to score on; give --test LANG=FILE")
    from isogloss.classify.evaluate.report import write_report

    loaded, other = saved.load(cache), None
    if versus is not None:
        beside = Model(model=versus, device=saved.device, threads=saved.threads)
        other = beside.load(cache)
    tests = replace(tests, labels=_typed(tests.labels, loaded))
    result = evaluate(
        loaded, tests.texts, tests.labels, tests.langs, ids=tests.ids,
        fallback_lang=fallback_lang, versus=other, abstain_below=abstain_below, target=target,
    )  # fmt: skip
    say_languages(tests.langs)
    say_corrections(loaded, frozenset(filter(None, tests.langs)))
    say_uncalibrated(loaded.trust, abstain_below)
    against = None if versus is None else versus.name
    if made.report is not None:  # before anything is said
        write_report(
            made.report, loaded, result, tests.texts,
            title=f"Evaluation of {saved.model.name}", note="", versus=against,
            audits={lang: one.in_words(target) for lang, one in audits.items()},
            fallback_lang=fallback_lang, overwrite=made.overwrite,
            about={"model": f"{saved.model.name}, {about.fingerprint}"},
        )  # fmt: skip
        typer.echo(f"isogloss: report → {made.report}", err=True)
    if output.as_json:
        typer.echo(json.dumps(result.as_json(), ensure_ascii=False))
    else:
        result.shown().render(console())
        typer.echo(" ".join(headline(result.rows, result.mean, versus=against, target=target)))


@app.command("explain")
@grouped
def explain_command(
    given: Given,
    saved: Model,
    text: Annotated[str, typer.Argument(help="The text itself.")],
    output: options.Output,
    lang: Annotated[
        str | None, typer.Option(help="Language of the text, 'auto', or 'auto:es,tr'.")
    ] = None,
    fallback_lang: FallbackLang = None,
) -> None:
    """Show which entities a text names, and how far they changed the answer."""
    about = saved.about(given)
    if lang is None and about.uses_language:
        raise InputError("the language is missing; give --lang CODE, or --lang auto")
    code = None if lang is None else languages_of_texts([text], lang)[0]
    fallback_lang = checked_language(fallback_lang)
    loaded = saved.load()
    explanation = explain(loaded, text, code, fallback_lang=fallback_lang)
    if output.as_json:
        facts = asdict(explanation) | {"difference": explanation.difference}
        for key in ("probabilities", "probabilities_without_entities", "difference"):
            facts[key] = {str(name): value for name, value in facts[key].items()}
        if loaded.kb is not None and not explanation.entities_have_weight:
            facts["note"] = NO_WEIGHT
        typer.echo(json.dumps(facts, ensure_ascii=False))
    else:
        print_explanation(loaded, explanation)


def _typed(labels: list[Any], model: FittedClassifier) -> list[Any]:
    """Give labels of a file the form that the model's have: files hold strings without blanks."""
    known: dict[str, Any] = {}
    for label in model.classes.tolist():
        other = known.setdefault(str(label).strip(), label)
        if other is not label:
            raise InputError(
                f"the model's labels {other!r} and {label!r} are the same in a file; "
                "fit it with labels that differ in more than blanks"
            )
    if model.options.multilabel:
        return [tuple(known.get(label, label) for label in labels_of) for labels_of in labels]
    return [known.get(label, label) for label in labels]
