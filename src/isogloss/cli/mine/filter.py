"""``isogloss mine filter``: pairs, or texts of one language, that are worth training on."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, cast

import numpy as np
import typer

from isogloss.arrays import Floats1d, Floats2d
from isogloss.cli import options
from isogloss.cli.encode import say_encoder
from isogloss.cli.groups import OnlyWith, grouped
from isogloss.cli.output import console
from isogloss.cli.places import refuse_inside, refuse_piped_twice, refuse_place
from isogloss.data.blocks import read_blocks
from isogloss.data.documents import FileFormat
from isogloss.data.pairs import PairFile, moses_sides, pair_blocks, parse_pair_file
from isogloss.encode import Encoder
from isogloss.errors import InputError
from isogloss.mine.filter.filtering import Columns, Filtered, RemovedBy, Scoring, filter_file
from isogloss.mine.filter.pair_rules import RULES as RULES_OF_PAIRS
from isogloss.mine.filter.pair_rules import PairFilter
from isogloss.mine.filter.text_rules import RULES as RULES_OF_TEXTS
from isogloss.mine.filter.text_rules import TextFilter
from isogloss.mine.filter.thresholds import (
    best_share,
    read_labelled_pairs,
    threshold_of_precision,
)
from isogloss.report.table import Table
from isogloss.text.languages import LanguageFile, parse_language_file

_FOR_PAIRS = OnlyWith("pairs", why="is for pairs; give --pairs")
_FOR_TEXTS = OnlyWith("mono", why="is for texts of one language; give --mono")
_FOR_SCORES = OnlyWith(
    "keep", "precision", "threshold",
    why="is for scores of pairs; give --keep, --precision or --threshold",
)  # fmt: skip
BY_MODEL = "model"


@dataclass(frozen=True, kw_only=True)
class Filtering:
    """What is filtered, and by which rules."""

    pairs: Annotated[
        str | None,
        typer.Option(
            help="Sentence pairs: TSV without header, Moses text, or a table with a column for "
            "each language.",
            metavar="en-sw=FILE",
        ),
    ] = None
    mono: Annotated[
        str | None, typer.Option(help="Texts of one language.", metavar="LANG=FILE")
    ] = None
    rules: Annotated[
        str | None,
        typer.Option(
            help=f"Rules to apply (default: all). Of pairs: {','.join(RULES_OF_PAIRS)}; of texts: "
            f"{','.join(RULES_OF_TEXTS)}."
        ),
    ] = None

    @property
    def names(self) -> dict[str, Any]:
        """The rules that were named, as an argument; none: all."""
        if self.rules is None:
            return {}
        return {"rules": [name.strip() for name in self.rules.split(",")]}


@dataclass(frozen=True, kw_only=True)
class Scores:
    """Which pairs are kept by their cosine."""

    keep: Annotated[
        float | None,
        typer.Option(
            min=0.0, max=1.0, help="Share of the pairs to keep: those with the best cosines."
        ),
        _FOR_PAIRS,
    ] = None
    precision: Annotated[
        float | None,
        typer.Option(
            min=0.0, max=1.0, help="Minimum share of right pairs among those kept, by --labelled."
        ),
        _FOR_PAIRS,
    ] = None
    labelled: Annotated[
        Path | None,
        typer.Option(
            help="Sample that chooses the threshold: sentence, sentence, 1 or 0; tabs between.",
            metavar="FILE",
        ),
        OnlyWith("precision", why="is for a threshold by precision; give --precision too"),
    ] = None
    threshold: Annotated[
        float | None, typer.Option(min=-1.0, max=1.0, help="Minimum cosine of a pair."), _FOR_PAIRS
    ] = None

    def check(self) -> None:
        """Refuse two ways to choose at once, and a precision of no sample."""
        given = [
            name for name in ("keep", "precision", "threshold") if vars(self)[name] is not None
        ]
        if len(given) > 1:
            raise InputError(
                f"--{given[0]} and --{given[1]} both say which pairs are kept; leave one out"
            )
        if self.precision is not None and self.labelled is None:
            raise InputError("--precision is that of a sample; give it with --labelled FILE")

    @property
    def are_asked_for(self) -> bool:
        """Whether pairs are scored at all."""
        return any(one is not None for one in (self.keep, self.precision, self.threshold))


@dataclass(frozen=True, kw_only=True)
class ByModel:
    """A classifier that tells text worth keeping."""

    model: Annotated[
        Path | None,
        typer.Option(help="Classifier whose label says which texts are kept.", metavar="MODEL"),
        _FOR_TEXTS,
    ] = None
    keep_label: Annotated[
        str | None,
        typer.Option(help="Label of the texts that are kept."),
        OnlyWith("model", why="is a label of a classifier; give --model too"),
    ] = None


@grouped
def filter_(
    out: Annotated[Path, typer.Option(help="File to make: what is kept, a line each.")],
    filtering: Filtering,
    scores: Scores,
    by_model: ByModel,
    encoder: Annotated[options.EncoderOptions, _FOR_SCORES],
    output: options.Output,
    removed: Annotated[
        Path | None,
        typer.Option(help="File to make: what is removed, behind the name of the rule."),
    ] = None,
    overwrite: options.Overwrite = False,
) -> None:
    """Filter pairs or texts by rules, a score or a classifier; say what each removed."""
    if (filtering.pairs is None) == (filtering.mono is None):
        raise InputError("give what to filter: --pairs en-sw=FILE, or --mono LANG=FILE")
    scores.check()
    if (by_model.model is None) != (by_model.keep_label is None):
        raise InputError("--model needs the label to keep; give --keep-label")
    _refuse_places(out, removed, filtering, scores, by_model, encoder, overwrite=overwrite)
    rules: PairFilter | TextFilter
    if filtering.pairs is not None:
        file = parse_pair_file(filtering.pairs)
        rules = PairFilter(file.first, file.second, **filtering.names)
        blocks, removed_by = _pair_columns(file), rules.removed_by
        scoring = _scoring(scores, encoder) if scores.are_asked_for else None
    else:
        named = parse_language_file(filtering.mono or "")
        rules = TextFilter(named.lang, **filtering.names)
        blocks, scoring = _text_columns(named), None
        removed_by = _with_model(rules, by_model, named.lang)
    done = filter_file(
        blocks, out, removed_by=removed_by, removed=removed, scoring=scoring, overwrite=overwrite
    )
    _say(done, rules, out, output, "pair" if filtering.pairs is not None else "text")


def _refuse_places(
    out: Path, removed: Path | None, filtering: Filtering, scores: Scores, by_model: ByModel,
    encoder: options.EncoderOptions, *, overwrite: bool,
) -> None:  # fmt: skip
    reads = [filtering.pairs, filtering.mono, scores.labelled, by_model.model, encoder.encoder]
    refuse_piped_twice(reads)
    refuse_place(out, *reads, *_sides(filtering), overwrite=overwrite, makes="file")
    refuse_inside(out, cache=encoder.cache)
    if removed is not None:
        refuse_place(
            removed, *reads, *_sides(filtering), out, overwrite=overwrite, makes="file",
            option="--removed",
        )  # fmt: skip
        if removed.absolute() == out.absolute():
            raise InputError("is --out too; choose another --removed", path=removed)
        refuse_inside(removed, option="--removed", cache=encoder.cache)


def _sides(filtering: Filtering) -> list[Path]:
    """Return the files of Moses text, which the option does not spell out."""
    if filtering.pairs is None:
        return []
    return [side for side in moses_sides(parse_pair_file(filtering.pairs)) if side is not None]


def _pair_columns(file: PairFile) -> Iterator[Columns]:
    n = 0
    for block in pair_blocks(file):
        n += len(block.firsts)
        yield block.firsts, block.seconds
    if not n:
        raise InputError("holds no pair to filter; give a file with pairs", path=file.path)


def _text_columns(file: LanguageFile) -> Iterator[Columns]:
    n = 0
    for documents in read_blocks(file.path, format=FileFormat(fixed_by="--mono")):
        n += len(documents.texts)
        yield (documents.texts,)
    if not n:
        raise InputError("holds no text to filter; give a file with texts", path=file.path)


def _scoring(scores: Scores, given: options.EncoderOptions) -> Scoring:
    """Load the encoder, and settle which of its cosines are kept."""
    sample = None if scores.labelled is None else read_labelled_pairs(scores.labelled)
    encoder = given.load(**given.reading)
    say_encoder(encoder)
    score = partial(_cosines, encoder)
    if scores.keep is not None:
        return Scoring(score, partial(best_share, share=scores.keep))
    threshold = scores.threshold
    if sample is not None:
        chosen = threshold_of_precision(
            score(sample.firsts, sample.seconds), sample.is_right,
            precision=cast("float", scores.precision),
        )  # fmt: skip
        threshold = chosen.threshold
        precision, recall = chosen.precision, chosen.recall
        typer.echo(
            f"isogloss: a cosine of {threshold:.4f} keeps {chosen.n_kept} of {chosen.n} labelled "
            f"pairs with a precision of {precision.value:.3f} [{precision.low:.2f}, "
            f"{precision.high:.2f}] and {recall.value:.3f} [{recall.low:.2f}, {recall.high:.2f}] "
            "of the right ones",
            err=True,
        )
    least = np.float32(cast("float", threshold))
    return Scoring(score, lambda cosines: cosines >= least)


def _cosines(encoder: Encoder, firsts: list[str], seconds: list[str]) -> Floats1d:
    one, other = (
        cast("Floats2d", encoder.encode(side, normalize=True)) for side in (firsts, seconds)
    )
    return np.asarray(np.einsum("ij,ij->i", one, other), np.float32)


def _with_model(rules: TextFilter, by_model: ByModel, lang: str) -> RemovedBy:
    """Return the rules, and the classifier for what they keep."""
    if by_model.model is None:
        return rules.removed_by
    from isogloss.classify import TextClassifier

    model = TextClassifier.load(by_model.model)
    label = by_model.keep_label
    known = [str(one) for one in model.classes_]
    if label not in known:
        raise InputError(
            f"--keep-label is '{label}', which the classifier does not give; it gives "
            f"{', '.join(known[:12])}",
            path=by_model.model,
        )

    def removed_by(texts: list[str]) -> list[str | None]:
        found = rules.removed_by(texts)
        rows = [row for row, rule in enumerate(found) if rule is None]
        if rows:
            for row, given in zip(
                rows, model.predict([texts[row] for row in rows], lang), strict=True
            ):
                found[row] = None if str(given) == label else BY_MODEL
        return found

    return removed_by


def _say(
    done: Filtered, rules: PairFilter | TextFilter, out: Path, output: options.Output, noun: str
) -> None:
    counts = dict.fromkeys(rules.rules, 0) | done.removed
    rows = [
        {"rule": rule, "removed": n, "share": n / done.n if done.n else None}
        for rule, n in counts.items()
    ]
    unknown = rules.n_language_unknown
    if output.as_json:
        document = {
            "n": done.n, "n_kept": done.n_kept, "removed": rows, "n_language_unknown": unknown,
        }  # fmt: skip
        typer.echo(json.dumps(document, ensure_ascii=False, indent=2))
    else:
        Table(rows).render(console())
    if unknown:
        typer.echo(
            f"isogloss: the language of {unknown:,} {noun}s was not looked at: the identifier does "
            "not know it",
            err=True,
        )
    if 2 * done.removed.get("language", 0) > done.n:
        what = "--pairs en-sw=FILE says the order of the sides" if noun == "pair" else "check LANG="
        typer.echo(
            f"isogloss: most {noun}s are surely in another language than was said; {what}", err=True
        )
    typer.echo(f"isogloss: {done.n_kept:,} of {done.n:,} {noun}s kept → {out}", err=True)
