"""``isogloss classify drift``: which languages of an inbox are not what they were."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from isogloss.classify.answers.drift import LEAST, LanguageDrift, Tested, What, find_drift
from isogloss.classify.answers.summary import Summary, read_summary
from isogloss.cli import options
from isogloss.cli.output import console
from isogloss.cli.places import refuse_same_file
from isogloss.report.table import Table

_SHOWN: tuple[What, ...] = (
    "probability",
    "linked",
    "language",
    "cut",
    "empty",
    "abstained",
)  # beside labels
_TITLES = {
    "n_before": "texts before",
    "n_now": "texts now",
    "of_label": "change of the label",
    "language": "other language",
}
_MINOR = ("empty", "abstained", "cut")
_PACKAGES = ("isogloss", "torch", "transformers")


def drift_command(
    before: Annotated[Path, typer.Argument(help="Summary of answers that are known to be good.")],
    now: Annotated[Path, typer.Argument(help="Summary of later answers of the same model.")],
    least: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Smallest change that is flagged.")
    ] = LEAST,
    as_json: options.AsJson = False,
) -> None:
    """Compare two summaries of 'predict --out': which languages changed, are new, or are gone."""
    refuse_same_file([("SUMMARY", before), ("SUMMARY", now)])
    summaries = read_summary(before), read_summary(now)
    found = find_drift(*summaries, least=least)
    if as_json:
        typer.echo(json.dumps(_as_json(summaries, found, least), ensure_ascii=False))
    else:
        rows = [_row(one) for one in found]
        Table(rows, minor=_MINOR, sparse=("linked", "language", *_MINOR), titles=_TITLES).render(
            console()
        )
    _say_versions(*summaries)
    _say(found)


def _row(one: LanguageDrift) -> dict[str, Any]:
    """Return a language as people read it: changes, with intervals where they are tested."""
    row: dict[str, Any] = {"lang": _name(one), "n_before": one.n_before, "n_now": one.n_now}
    for what in _SHOWN:
        row |= _columns(what, one.of(what))
    label = one.of("label")
    row |= {"label": label.label if label else ""} | _columns("of_label", label)
    row["p"] = min((test.p_holm for test in one.tests), default=None)
    return row | {"changed": ", ".join(_words(test) for test in one.flagged)}


def _columns(name: str, test: Tested | None) -> dict[str, float | None]:
    if test is None:
        return dict.fromkeys((name, f"{name}_low", f"{name}_high"))
    interval = test.change.interval
    return {name: interval.value, f"{name}_low": interval.low, f"{name}_high": interval.high}


def _words(test: Tested) -> str:
    if test.what == "rows" and test.lang is not None:
        return "gone" if test.size < 0 else "new"
    return f"label {test.label}" if test.what == "label" else test.what


def _name(one: LanguageDrift) -> str:
    return one.lang or "unknown"


def _as_json(
    summaries: tuple[Summary, Summary], found: list[LanguageDrift], least: float
) -> dict[str, Any]:
    names = ("before", "now")
    return {
        "model": summaries[0].model.fingerprint,
        **{
            name: {"data": one.data.name, "n_rows": one.data.n_rows, "versions": one.versions}
            for name, one in zip(names, summaries, strict=True)
        },
        "least": least,
        "flagged": [one.lang for one in found if one.flagged],
        "new": [one.lang for one in found if not one.n_before],
        "gone": [one.lang for one in found if not one.n_now],
        "languages": [
            {"lang": one.lang, "n_before": one.n_before, "n_now": one.n_now,
             "tests": [test.as_json() for test in one.tests]}
            for one in found
        ],
    }  # fmt: skip


def _say_versions(before: Summary, now: Summary) -> None:
    changed = [
        f"{name} {before.versions.get(name)} before, {now.versions.get(name)} now"
        for name in _PACKAGES
        if before.versions.get(name) != now.versions.get(name)
    ]
    if changed:
        typer.echo(f"isogloss: {'; '.join(changed)}: this may change answers too", err=True)


def _say(found: list[LanguageDrift]) -> None:
    for way, langs in (
        ("new", [_name(one) for one in found if not one.n_before]),
        ("gone", [_name(one) for one in found if not one.n_now]),
    ):
        if langs:
            typer.echo(f"isogloss: {way}: {', '.join(langs)}", err=True)
    flagged = [_name(one) for one in found if one.flagged and one.n_now]
    if flagged:
        typer.echo(
            f"isogloss: changed: {', '.join(flagged)}; an earlier audit does not hold for these, "
            "'isogloss classify audit draw' draws texts for another",
            err=True,
        )
    else:
        typer.echo("isogloss: no language changed by more than chance explains", err=True)
