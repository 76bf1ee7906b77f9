"""``isogloss classify forecast``, and ``--abstain-below``: how far to trust a classifier."""

import json
from typing import Annotated, Any

import numpy as np
import typer

from isogloss.arrays import Doubles2d
from isogloss.classify import TextClassifier
from isogloss.classify.saving.manifest import SavedClassifier, about_classifier
from isogloss.classify.trust.forecast import FEW_TEXTS, rows_to_forecast
from isogloss.cli import options
from isogloss.cli.languages import languages_of
from isogloss.cli.output import console
from isogloss.data.documents import read_documents
from isogloss.errors import InputError, counted

AbstainBelow = Annotated[
    float | None,
    typer.Option(min=0.0, max=1.0, help="Give no label where the best is less probable than this."),
]


def forecast_command(
    context: typer.Context,
    model: options.ModelPath,
    file: options.InputFile = "-",
    lang: options.LangOfTexts = None,
    lang_column: options.LangColumn = None,
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
    """Forecast the accuracy in each language from unlabelled texts, with an interval."""
    about = about_classifier(model)
    if not about.has_kb:
        options.refuse_given(context, "kb", why=options.FOR_ENTITIES)
    format = options.file_format(text, None, quoting, lang_column)
    documents = read_documents(file, format=format, needs_label=False)
    langs = languages_of(documents, lang)
    rows_to_forecast(langs, lack=about.lack, moved_langs=about.moved_langs)
    loaded = TextClassifier.load(
        model, encoder=encoder, kb=kb, device=device, threads=threads, cache=cache
    )
    result = loaded.forecast(documents.texts, langs)
    if as_json:
        typer.echo(json.dumps(result.as_json(), ensure_ascii=False))
        return
    result.table().render(console())
    typer.echo(
        f"isogloss: accuracy on {counted(result.n_training, 'held-out text')} of the training "
        f"language: {result.training_accuracy:.3f} "
        f"[{result.training_low:.2f}, {result.training_high:.2f}]",
        err=True,
    )
    if result.to_label:
        typer.echo(
            f"isogloss: to know, label {FEW_TEXTS} texts in {', '.join(result.to_label)} and run "
            "'isogloss classify evaluate'",
            err=True,
        )


def check_abstaining(model: SavedClassifier, abstain_below: float | None) -> None:
    """Raise `InputError` when a threshold is given to a model of label sets."""
    if abstain_below is not None and model.multilabel:
        raise InputError("--abstain-below is for models of one label a text; leave it out")


def say_uncalibrated(model: TextClassifier, abstain_below: float | None) -> None:
    """Say on standard error that a threshold is a guess where probabilities are not calibrated."""
    if abstain_below is not None and not model.trust_.is_calibrated:
        typer.echo(
            f"isogloss: the model is {model.trust_.fitted_on}; the threshold of --abstain-below "
            "is only a guess",
            err=True,
        )


def with_abstentions(
    model: TextClassifier, probabilities: Doubles2d, abstain_below: float | None
) -> list[Any]:
    """Return the label of each row of (n_texts, n_classes), None where it is too unsure."""
    labels: list[Any] = model.labels_of(probabilities).tolist()
    if abstain_below is None:
        return labels
    unsure = np.max(probabilities, axis=1) < abstain_below
    return [None if left else label for label, left in zip(labels, unsure.tolist(), strict=True)]
