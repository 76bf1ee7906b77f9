"""``isogloss classify``: fit on one language, predict, evaluate and explain in many."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import typer

from isogloss.classify import TextClassifier, evaluate
from isogloss.classify.evaluate.explanation import NO_WEIGHT
from isogloss.classify.evaluate.report import describe, write_report
from isogloss.classify.fitting.training_data import check_training
from isogloss.classify.saving.manifest import about_classifier
from isogloss.cli import options
from isogloss.cli.classify import tuning
from isogloss.cli.classify.adapt import adapt_command, say_moves
from isogloss.cli.classify.answers import print_json, print_lines
from isogloss.cli.classify.class_names import ClassesFile, read_class_names, refuse_beside_names
from isogloss.cli.classify.compare import compare_command
from isogloss.cli.classify.explanation import print_explanation
from isogloss.cli.classify.labelled import read_labelled
from isogloss.cli.classify.trust import (
    AbstainBelow,
    check_abstaining,
    forecast_command,
    say_uncalibrated,
    with_abstentions,
)
from isogloss.cli.classify.tuning import training_options
from isogloss.cli.encode import say_encoder
from isogloss.cli.languages import checked_language, languages_of, say_languages
from isogloss.cli.output import console
from isogloss.cli.places import refuse_inside, refuse_place
from isogloss.cli.texts import read_texts
from isogloss.encode import Encoder
from isogloss.errors import InputError
from isogloss.kb import KnowledgeBase
from isogloss.report.html import headline
from isogloss.text.detect import languages_of_texts
from isogloss.text.languages import parse_language_file
from isogloss.train.checkpoints import Checkpoints
from isogloss.train.processes import is_first_process
from isogloss.vectors.for_knowledge_base import read_entity_vectors

app = typer.Typer(help="Classifiers: label in one language, answer in many.",
                  no_args_is_help=True)  # fmt: skip
_OF_ENTITIES = (
    "init", "attention", "max_entities", "min_link_prob", "min_commonness", "nested",
)  # fmt: skip
_LINKING = ("kb", "fallback_lang")
_OF_TRAIN = ("text", "label", "quoting", "lang", "lang_column")
_FOR_TRAIN = "is for files of --train; that of --classes has the columns label and text"
app.command("compare")(compare_command)
app.command("forecast")(forecast_command)
app.command("adapt")(adapt_command)


@app.command()
def fit(
    context: typer.Context,
    out: Annotated[Path, typer.Option(help="Directory to make.")],
    train: Annotated[
        list[str] | None,
        typer.Option(help="Labelled texts; may be repeated. FILE alone with --lang-column or "
                     "--lang. Needed without --classes.", metavar="LANG=FILE"),
    ] = None,
    classes: ClassesFile = None,
    dev: Annotated[
        list[str] | None,
        typer.Option(help="Texts to choose by; cross-validation, or --dev-split, without.",
                     metavar="LANG=FILE"),
    ] = None,
    lang: options.LangOfFiles = None,
    lang_column: options.LangColumn = None,
    encoder: options.EncoderName = "bundled",
    kb: Annotated[
        Path | None, typer.Option(help="Knowledge base to link with; none: the encoder alone.")
    ] = None,
    preset: Annotated[
        Literal["mboe", "mboe-plus"],
        typer.Option(help="How entities are used; with --tune, mboe reads [CLS], with or without "
                     "--kb."),
    ] = "mboe-plus",
    tune: tuning.TuneName = "head",
    epochs: tuning.Epochs = None,
    batch_size: tuning.BatchSize = None,
    learning_rate: tuning.LearningRate = None,
    patience: tuning.Patience = None,
    dev_split: tuning.DevSplit = None,
    class_weights: tuning.ClassWeights = None,
    max_length: tuning.MaxLength = None,
    embeddings: tuning.EmbeddingsName = None,
    accumulate: tuning.Accumulate = None,
    precision: tuning.Precision = None,
    average_checkpoints: tuning.AverageCheckpoints = None,
    checkpoints: tuning.CheckpointFolder = None,
    multilabel: options.Multilabel = False,
    label_separator: options.LabelSeparator = None,
    thresholds: options.ThresholdsName = "half",
    init: Annotated[
        str,
        typer.Option(
            help="Entity vectors: 'encoder', 'random', or a file of vectors; LANG=FILE says the "
            "language of its titles.",
        ),
    ] = "encoder",
    attention: Annotated[
        Literal["learned", "mean", "sum"], typer.Option(help="How entities are weighed.")
    ] = "learned",
    max_entities: options.MaxEntities = None,
    min_link_prob: options.MinLinkProb = 0.01,
    min_commonness: options.MinCommonness = 0.05,
    nested: options.Nested = False,
    pooling: options.PoolingName = None,
    long_texts: options.LongTexts = None,
    text: options.TextColumns = None,
    label: options.LabelColumn = None,
    quoting: options.Quoting = "auto",
    device: options.Device = "auto",
    dtype: options.DType = "float32",
    threads: options.Threads = None,
    cache: options.Cache = None,
    seed: options.Seed = 0,
    embed_kb: Annotated[
        bool, typer.Option("--embed-kb", help="Put a copy of the knowledge base into the model.")
    ] = False,
    overwrite: options.Overwrite = False,
    strict: options.Strict = False,
) -> None:  # fmt: skip
    """Learn from labelled texts, or from the names of the classes, and write a model."""
    refuse_place(out, train, dev, classes, kb, encoder, init, overwrite=overwrite, makes="folder")
    refuse_inside(out, cache=cache, checkpoints=checkpoints)
    if not train and classes is None:
        raise InputError("nothing to learn from; give --train LANG=FILE, --classes FILE, or both")
    _refuse_useless(context, has_kb=kb is not None, multilabel=multilabel, is_tuned=tune != "head")
    how = training_options(
        tune, has_dev=bool(dev), epochs=epochs, batch_size=batch_size, learning_rate=learning_rate,
        patience=patience, dev_split=dev_split, class_weights=class_weights,
        max_length=max_length, embeddings=embeddings, accumulate=accumulate,
        precision=precision, average_checkpoints=average_checkpoints,
    )  # fmt: skip
    if checkpoints is not None and how is None:
        raise InputError("--checkpoints is for --tune lora or full; the head alone learns")
    format = options.file_format(
        text, label, quoting, lang_column, multilabel=multilabel, label_separator=label_separator
    )
    names = None if classes is None else read_class_names(classes)
    training, held_out = read_labelled(
        {"--train": train, "--dev": dev}, format=format, lang=lang, class_names=names
    )
    knowledge_base = None if kb is None else KnowledgeBase.open(kb)
    vectors = _init(init, knowledge_base, training.langs)
    model = TextClassifier(
        encoder,
        knowledge_base,
        preset=preset,
        tune=tune,
        training=how,
        multilabel=multilabel,
        thresholds=thresholds,
        init=vectors,
        attention=True if attention == "learned" else attention,
        max_entities=max_entities,
        min_link_prob=min_link_prob,
        min_commonness=min_commonness,
        nested=nested,
        pooling=pooling,
        long_texts=long_texts,
        device=device,
        dtype=dtype,
        random_state=seed,
    )
    given: dict[str, Any] = {"class_names": names, "checkpoints": checkpoints}
    if dev:
        given |= {"X_dev": held_out.texts, "y_dev": held_out.labels, "lang_dev": held_out.langs}
    check_training(model.get_params(deep=False), *training.columns()[:3], **given)
    loaded = Encoder.load(encoder, device=device, dtype=dtype, threads=threads, cache=cache)
    say_encoder(loaded)
    model.set_params(encoder=loaded)
    model.fit(training.texts, training.labels, training.langs, **given)
    if not is_first_process():
        return
    say_languages(training.langs, {})
    for name, value in describe(model).items():
        typer.echo(f"isogloss: {name}: {value}", err=True)
    model.save(out, embed_kb=embed_kb, overwrite=overwrite)
    if checkpoints is not None:
        Checkpoints(checkpoints).remove()
    typer.echo(f"isogloss: model → {out}", err=True)


@app.command()
def predict(
    context: typer.Context,
    model: options.ModelPath,
    file: options.InputFile = "-",
    lang: options.LangOfTexts = None,
    lang_column: options.LangColumn = None,
    fallback_lang: options.FallbackLang = None,
    abstain_below: AbstainBelow = None,
    text: options.TextColumns = None,
    quoting: options.Quoting = "auto",
    encoder: options.EncoderPlace = None,
    kb: options.KbPlace = None,
    device: options.Device = "auto",
    threads: options.Threads = None,
    cache: options.Cache = None,
    as_json: options.AsJson = False,
    strict: options.Strict = False,
) -> None:
    """Predict labels; a line a text: label, tab, probability.

    Of a model that gives label sets: labels joined by |, tab, their probabilities joined by |;
    the labels are a JSON list where one of the model's holds a separator.
    """
    about = about_classifier(model)
    check_abstaining(about, abstain_below)
    if not about.has_kb:
        options.refuse_given(context, *_LINKING, why=options.FOR_ENTITIES)
    fallback_lang = checked_language(fallback_lang)
    format = options.file_format(text, None, quoting, lang_column)
    documents = read_texts(file, format=format, command=f"classify predict {model}")
    langs = languages_of(documents, lang, is_needed=about.uses_language)
    loaded = TextClassifier.load(
        model, encoder=encoder, kb=kb, device=device, threads=threads, cache=cache
    )
    prepared = loaded.prepare(documents.texts, langs, fallback_lang=fallback_lang)
    probabilities = loaded.probabilities(prepared)
    labels = with_abstentions(loaded, probabilities, abstain_below)
    if as_json:
        print_json(loaded, labels, probabilities, langs=langs, ids=documents.ids)
    else:
        print_lines(loaded, labels, probabilities)
    linked = (
        [False] * len(langs)
        if prepared.bags is None
        else (np.diff(prepared.bags.indptr) > 0).tolist()
    )
    flags = {"linked": linked} if about.has_kb else {}
    flags["cut"] = prepared.truncated.tolist()
    if abstain_below is not None:
        flags["without a label"] = [label is None for label in labels]
    say_languages(langs, flags)
    say_moves(loaded, langs)
    say_uncalibrated(loaded, abstain_below)


@app.command("evaluate")
def evaluate_command(
    context: typer.Context,
    model: options.ModelPath,
    test: options.LabelledFiles,
    lang: options.LangOfFiles = None,
    lang_column: options.LangColumn = None,
    fallback_lang: options.FallbackLang = None,
    versus: Annotated[
        Path | None, typer.Option(help="A second model, for the paired difference.")
    ] = None,
    abstain_below: AbstainBelow = None,
    report: Annotated[
        Path | None, typer.Option(help="Write an HTML report, with a few documents.")
    ] = None,
    text: options.TextColumns = None,
    label: options.LabelColumn = None,
    label_separator: options.LabelSeparator = None,
    quoting: options.Quoting = "auto",
    encoder: options.EncoderPlace = None,
    kb: options.KbPlace = None,
    device: options.Device = "auto",
    threads: options.Threads = None,
    cache: options.Cache = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace what --report names.")
    ] = False,
    as_json: options.AsJson = False,
    strict: options.Strict = False,
) -> None:  # fmt: skip
    """Score a model language by language, with intervals."""
    if report is None:
        options.refuse_given(context, "overwrite", why="is for --report; give that too")
    else:
        refuse_place(
            report, model, versus, test, kb, encoder,
            overwrite=overwrite, makes="file", option="--report",
        )  # fmt: skip
        refuse_inside(report, option="--report", cache=cache)
    about = about_classifier(model)
    check_abstaining(about, abstain_below)
    other_about = about if versus is None else about_classifier(versus)
    if not about.has_kb:
        useless = ("kb",) if other_about.has_kb else _LINKING
        options.refuse_given(context, *useless, why=options.FOR_ENTITIES)
    if not about.multilabel:
        options.refuse_given(
            context, "label_separator", why="is for label sets, and the model gives one label"
        )
    fallback_lang = checked_language(fallback_lang)
    if other_about.multilabel != about.multilabel:
        raise InputError("of the two models one gives label sets; compare models of one kind")
    format = options.file_format(
        text, label, quoting, lang_column, multilabel=about.multilabel,
        label_separator=label_separator,
    )  # fmt: skip
    (tests,) = read_labelled(
        {"--test": test}, format=format, lang=lang,
        known_labels=[str(label).strip() for label in about.classes],
    )  # fmt: skip
    if not len(tests):
        raise InputError("no text to score on; give --test LANG=FILE")
    loaded = TextClassifier.load(
        model, encoder=encoder, kb=kb, device=device, threads=threads, cache=cache
    )
    other = None
    if versus is not None:
        other = TextClassifier.load(versus, device=device, threads=threads, cache=cache)
    gold = _typed(tests.labels, loaded)
    result = evaluate(
        loaded, tests.texts, gold, tests.langs, ids=tests.ids, fallback_lang=fallback_lang,
        versus=other, abstain_below=abstain_below,
    )  # fmt: skip
    say_languages(tests.langs, {})
    say_moves(loaded, tests.langs)
    say_uncalibrated(loaded, abstain_below)
    if as_json:
        typer.echo(json.dumps(result.as_json(), ensure_ascii=False))
    else:
        result.shown().render(console())
        against = None if versus is None else versus.name
        typer.echo(" ".join(headline(result.rows, result.mean, versus=against)))
    if report is not None:
        write_report(
            report, loaded, result, tests.texts, gold, tests.langs,
            title=f"Evaluation of {model.name}",
            note="The documents shown were not chosen by their result.",
            versus=None if versus is None else versus.name,
            fallback_lang=fallback_lang, overwrite=overwrite,
        )  # fmt: skip
        typer.echo(f"isogloss: report → {report}", err=True)


@app.command()
def explain(
    context: typer.Context,
    model: options.ModelPath,
    text: Annotated[str, typer.Argument(help="The text itself.")],
    lang: Annotated[str | None, typer.Option(help="Its language, 'auto', or 'auto:es,tr'.")] = None,
    fallback_lang: options.FallbackLang = None,
    encoder: options.EncoderPlace = None,
    kb: options.KbPlace = None,
    device: options.Device = "auto",
    threads: options.Threads = None,
    as_json: options.AsJson = False,
    strict: options.Strict = False,
) -> None:
    """Show which entities a text names, and how far they moved the answer."""
    about = about_classifier(model)
    if not about.has_kb:
        options.refuse_given(context, *_LINKING, why=options.FOR_ENTITIES)
    if lang is None and about.uses_language:
        raise InputError("the language is missing; give --lang CODE, or --lang auto")
    code = None if lang is None else languages_of_texts([text], lang)[0]
    fallback_lang = checked_language(fallback_lang)
    loaded = TextClassifier.load(model, encoder=encoder, kb=kb, device=device, threads=threads)
    explanation = loaded.explain(text, code, fallback_lang=fallback_lang)
    if as_json:
        facts = asdict(explanation) | {"difference": explanation.difference}
        for key in ("probabilities", "probabilities_without_entities", "difference"):
            facts[key] = {str(name): value for name, value in facts[key].items()}
        if loaded.kb_ is not None and not explanation.entities_have_weight:
            facts["note"] = NO_WEIGHT
        typer.echo(json.dumps(facts, ensure_ascii=False))
    else:
        print_explanation(loaded, explanation)


def _refuse_useless(
    context: typer.Context, *, has_kb: bool, multilabel: bool, is_tuned: bool
) -> None:
    if context.params["classes"] is not None:
        refuse_beside_names(context.params)
    if not context.params["train"]:
        options.refuse_given(context, *_OF_TRAIN, why=_FOR_TRAIN)
    if not has_kb:
        why = "needs a knowledge base; add --kb or leave it out"
        options.refuse_given(context, "embed_kb", why=why)
        # With --tune the preset says what h is, also where there are no entities.
        useless = _OF_ENTITIES if is_tuned else ("preset", *_OF_ENTITIES)
        options.refuse_given(
            context, *useless, why="is for entities of a knowledge base; give --kb too"
        )
    if not multilabel:
        options.refuse_given(context, "thresholds", why=options.FOR_LABEL_SETS)


def _init(value: str, kb: KnowledgeBase | None, langs: list[str | None]) -> Any:
    if value in ("encoder", "random"):
        return value
    path, of_titles = Path(value), [code for code in dict.fromkeys(langs) if code]
    if not path.exists() and "=" in value:
        pair = parse_language_file(value)
        path, of_titles = pair.path, [pair.lang]
    if not path.exists():
        raise InputError(
            f"--init is '{value}', and no such file; give 'encoder', 'random' or a file of vectors"
        )
    vectors = read_entity_vectors(path, kb, of_titles)
    typer.echo(f"isogloss: {vectors!r} of {path}", err=True)
    return vectors


def _typed(labels: list[Any], model: TextClassifier) -> list[Any]:
    """Give labels of a file the form that the model's have: files hold strings without blanks."""
    known: dict[str, Any] = {}
    for label in model.classes_.tolist():
        other = known.setdefault(str(label).strip(), label)
        if other is not label:
            raise InputError(
                f"the model's labels {other!r} and {label!r} are the same in a file; "
                "fit it with labels that differ in more than blanks"
            )
    if model.options_.multilabel:
        return [tuple(known.get(label, label) for label in labels_of) for labels_of in labels]
    return [known.get(label, label) for label in labels]
