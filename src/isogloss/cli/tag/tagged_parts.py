"""``isogloss tag predict`` of a folder or glob of parts: a Parquet part for each."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli import options
from isogloss.cli.groups import OnlyWith
from isogloss.cli.languages import LanguageCounts
from isogloss.cli.parts import PartsOptions, found_parts, job_of, make_parts, texts_settings
from isogloss.cli.tag.model import Model
from isogloss.data.row_languages import check_language
from isogloss.parts.footer import RunFacts
from isogloss.parts.summary import summary_document
from isogloss.text.languages import UNKNOWN

_FOR_PARTS = OnlyWith("@parts", why="is for a folder or a glob of parts, and FILE is one file")
_COLUMN_FILES = "; a column file comes back by itself: name it alone, without --out"


@dataclass(frozen=True, kw_only=True)
class TaggedParts:
    """Where parts hold texts, and the folder that is made of them."""

    out: Annotated[
        Path | None,
        typer.Option(
            help="Of a folder or glob of parts: folder of a Parquet part for each, with the "
            "columns lang, tokens and, of a model of entities, spans."
        ),
        OnlyWith(
            "@parts", why="is for a folder or a glob of parts; of one file, keep what is printed"
        ),
    ] = None
    text: Annotated[
        list[str] | None,
        typer.Option(
            help="Of parts: column of the text; several, as headline,text, are joined. Repeat it "
            "where files differ: each is read by the first that it has.",
            metavar="NAMES",
        ),
        _FOR_PARTS,
    ] = None
    lang_column: Annotated[
        str | None,
        typer.Option(help="Of parts: column with the language of each text.", metavar="NAME"),
        _FOR_PARTS,
    ] = None
    quoting: Annotated[
        options.Quoting,
        typer.Option(help="Of parts: quoting of TSV files: as in CSV, none, or found out."),
        _FOR_PARTS,
    ] = "auto"

    def texts(self, file: str, *, lang: str | None, encoding: str) -> options.TextsInLanguages:
        """Return the texts of parts as other commands have them."""
        return options.TextsInLanguages(
            file=file, text=self.text, quoting=self.quoting, encoding=encoding, lang=lang,
            lang_column=self.lang_column,
        )  # fmt: skip


def tag_parts(
    saved: Model, texts: options.TextsInLanguages, parts: PartsOptions, out: Path | None, *,
    is_strict: bool,
) -> None:  # fmt: skip
    """Make a part with tags for each part; say what came of each language.

    Raises
    ------
    InputError
        At the end, where a source could not be read; the others are done then.
    """
    executor = parts.made_by(saved.threads)
    found = found_parts(texts, out, saved.model, saved.kb, saved.encoder, advice=_COLUMN_FILES)
    assert out is not None
    check_language(texts.lang, has_column=texts.lang_column is not None, is_needed=True)
    from isogloss.tag.raw.parts import TagOptions, TagPartCounts
    from isogloss.tag.saving import read_manifest

    asked = TagOptions(
        model=str(saved.model), encoder=saved.encoder, device=saved.device,
        kb=None if saved.kb is None else str(saved.kb), threads=executor.threads_each,
    )  # fmt: skip
    run = RunFacts(
        "tag predict", saved.model.resolve().name, read_manifest(saved.model).fingerprint,
        texts_settings(texts, parts),
    )  # fmt: skip
    job = job_of(
        "isogloss.tag.raw.parts", asked, run, texts, parts, found=found, made_by=executor,
        is_strict=is_strict, summary_of=partial(summary_document, counts=TagPartCounts),
    )  # fmt: skip
    report = make_parts(job, found, out, parts, executor)
    counts = LanguageCounts()
    for lang, of_lang in report.counts.get("languages", {}).items():
        known = None if lang == UNKNOWN else lang
        counts.add_counts(known, of_lang["n"], words=of_lang["n_words"])
    counts.say()
    report.refuse_failures(out)
