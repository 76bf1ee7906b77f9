"""``isogloss classify forecast``, and ``--abstain-below``: how far to trust a classifier."""

import json

import typer

from isogloss.classify.forecast import FEW_TEXTS, forecast, rows_to_forecast
from isogloss.classify.trust.trust import Trust
from isogloss.cli import options
from isogloss.cli.classify.model import Model
from isogloss.cli.groups import Given, grouped
from isogloss.cli.output import console
from isogloss.data.documents import read_documents
from isogloss.errors import counted


@grouped
def forecast_command(
    given: Given,
    saved: Model,
    texts: options.TextsInLanguages,
    output: options.Output,
    target: options.Target = None,
    cache: options.Cache = None,
) -> None:
    """Forecast the accuracy in each language from unlabelled texts, with an interval."""
    about = saved.about(given)
    documents = read_documents(texts.file, format=texts.format(), needs_label=False)
    langs = texts.languages_of(documents).langs
    rows_to_forecast(langs, lack=about.lack, corrected_langs=about.corrections)
    loaded = saved.load(cache)
    result = forecast(loaded, documents.texts, langs)
    if target is not None:
        result = result.against(target)
    if output.as_json:
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
            f"isogloss: to know, label {FEW_TEXTS} texts in {', '.join(result.to_label)}: "
            "'isogloss classify audit draw' draws them at random",
            err=True,
        )


def say_uncalibrated(trust: Trust, abstain_below: float | None) -> None:
    """Say on standard error that a threshold is a guess where probabilities are not calibrated."""
    if abstain_below is not None and not trust.is_calibrated:
        typer.echo(
            f"isogloss: the model is {trust.describe()}; the threshold of --abstain-below "
            "is only a guess",
            err=True,
        )
