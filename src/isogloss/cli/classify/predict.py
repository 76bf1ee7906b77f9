"""``isogloss classify predict``: labels of texts, written as blocks of the file are ready."""

from itertools import chain

import numpy as np

from isogloss.cli import options
from isogloss.cli.classify.adapt import say_corrections
from isogloss.cli.classify.answers import print_json, print_lines, say_changed_labels
from isogloss.cli.classify.model import AbstainBelow, FallbackLang, Model
from isogloss.cli.classify.trust import say_uncalibrated, with_abstentions
from isogloss.cli.groups import Given, grouped
from isogloss.cli.languages import LanguageCounts, checked_language
from isogloss.totals import told_with_totals

ROWS = 1024  # of a block; the vectors of so many are a second to half a minute of work


@grouped
def predict_command(
    given: Given,
    saved: Model,
    texts: options.TextsInLanguages,
    output: options.Output,
    fallback_lang: FallbackLang = None,
    abstain_below: AbstainBelow = None,
    cache: options.Cache = None,
) -> None:
    """Predict labels; a line a text: label, tab, probability.

    Of a model that gives label sets: labels joined by |, tab, their probabilities joined by |;
    the labels are a JSON list where one of the model's holds a separator. Lines are printed as
    blocks of the file are ready, and --json at the end.
    """
    about = saved.about(given)
    fallback_lang = checked_language(fallback_lang)
    command = f"classify predict {saved.model}"
    # JSON is one document.
    blocks = iter([texts.read(command)]) if output.as_json else texts.blocks(command, rows=ROWS)
    read = ((some, texts.languages_of(some, is_needed=about.uses_language)) for some in blocks)
    counts = LanguageCounts()
    with told_with_totals():
        first = next(read)  # whose faults are said before the encoder is loaded
        loaded = saved.load(cache)
        if not output.as_json:
            say_changed_labels(loaded)
        for documents, langs in chain([first], read):
            prepared = loaded.prepare(documents.texts, langs, fallback_lang=fallback_lang)
            probabilities = loaded.probabilities(prepared)
            labels = with_abstentions(loaded, probabilities, abstain_below)
            if output.as_json:
                print_json(loaded, labels, probabilities, langs=langs, ids=documents.ids)
            else:
                print_lines(loaded, labels, probabilities)
            flags = {"cut": prepared.truncated.tolist()}
            if prepared.bags is not None:
                flags = {"linked": (np.diff(prepared.bags.indptr) > 0).tolist()} | flags
            if abstain_below is not None:
                flags["without_a_label"] = [label is None for label in labels]
            counts.add(langs, **flags)
    counts.say()
    say_corrections(loaded, counts)
    say_uncalibrated(loaded, abstain_below)
