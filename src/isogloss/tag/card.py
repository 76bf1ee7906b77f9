"""The card of a tagger, saved or exported: ``README.md``, with the head that the hub reads."""

from collections.abc import Sequence

from isogloss.encode.source import EncoderName
from isogloss.errors import counted
from isogloss.learn.card import head_of_card, listed, named, sources
from isogloss.tag.fitted import FittedTagger

_LIMITS = (
    "Tags of a language that is not of training are a guess until sentences of it were scored.",
    "It gives no tag but those above, to any word.",
    "No training sentence lies in the model.",
)
_USE = """```python
from isogloss import TokenTagger

model = TokenTagger.load("FOLDER")
model.predict([["two", "words"]], "sw")
```"""
_USE_OF_EXPORT = """```python
from transformers import pipeline

tagger = pipeline("token-classification", model="FOLDER")
tagger("two words")  # a tag for each token; that of a word is that of its first
```"""


def card_of(fitted: FittedTagger) -> str:
    """Return the text of a tagger's card."""
    own = ", ".join(fitted.own_heads)
    heads = [f"Answered by a head of their own: {own}"] if own else []
    limits = list(_LIMITS)
    if fitted.names is not None:
        limits.append("Names are found in the languages of the knowledge base alone.")
    return _card(fitted, "isogloss", _USE, heads, limits, file="model.json")


def card_of_export(fitted: FittedTagger, lang: str | None) -> str:
    """Return the text of the card of an exported tagger.

    Parameters
    ----------
    lang
        Language whose own head was written; None: the head of all languages.
    """
    limits = [
        *_LIMITS,
        "Each word gets its likeliest tag by itself: a scheme of entities is not kept to.",
        f"Of sentences with more than {fitted.reading.encoder.settings.max_length.value:,} tokens "
        "only the beginning is read.",
    ]
    heads = []
    if lang is not None:
        heads = [f"Written is the head of {lang} alone: it is for sentences in that language"]
    elif fitted.own_heads:
        limits.append(
            f"The tagger answers {', '.join(fitted.own_heads)} by heads of their own; what was "
            "written does not."
        )
    return _card(fitted, "transformers", _USE_OF_EXPORT, heads, limits, file="config.json")


def _card(
    fitted: FittedTagger, library: str, use: str, heads: Sequence[str], limits: Sequence[str],
    *, file: str,
) -> str:  # fmt: skip
    base = EncoderName(fitted.base.name, fitted.base.fingerprint, {})
    kb = None if fitted.names is None else fitted.names.features.kb
    head = head_of_card(langs=fitted.langs, library=library, task="token-classification", base=base)
    gives = f"Gives each word of a sentence one of {named(fitted.tag_names, 'tag', file=file)}."
    trained = f"Trained on: {', '.join(fitted.langs) or 'a language that was not named'}"
    parts = [head, "# Tagger", gives, use]
    parts += ["## Languages", listed([trained, *heads])]
    words = f"{counted(fitted.n_training_words, 'word')} with tags"
    parts += ["## Data", f"{words}, in sentences of the languages above."]
    parts += ["## Sources and licences", sources(base, kb, tune=fitted.options.tune)]
    parts += ["## Scores", "None is known: `isogloss tag evaluate` gives them, with intervals."]
    parts += ["## Limits", listed(limits)]
    return "\n\n".join(parts) + "\n"
