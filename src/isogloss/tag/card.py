"""The card of a saved tagger: ``README.md``, with the head that the Hugging Face hub reads."""

from isogloss.encode.source import EncoderName
from isogloss.errors import counted
from isogloss.learn.card import head_of_card, listed, named, sources
from isogloss.tag.fitted import FittedTagger

_USE = """```python
from isogloss import TokenTagger

model = TokenTagger.load("FOLDER")
model.predict([["two", "words"]], "sw")
```"""


def card_of(fitted: FittedTagger) -> str:
    """Return the text of a tagger's card."""
    base = EncoderName(fitted.base.name, fitted.base.fingerprint, {})
    kb = None if fitted.names is None else fitted.names.features.kb
    head = head_of_card(
        langs=fitted.langs, library="isogloss", task="token-classification", base=base
    )
    gives = f"Gives each word of a sentence one of {named(fitted.tag_names, 'tag')}."
    parts = [head, "# Tagger", gives, _USE]
    parts += ["## Languages", listed(_languages(fitted))]
    words = f"{counted(fitted.n_training_words, 'word')} with tags"
    parts += ["## Data", f"{words}, in sentences of the languages above."]
    parts += ["## Sources and licences", sources(base, kb, tune=fitted.options.tune)]
    parts += ["## Scores", "None is known: `isogloss tag evaluate` gives them, with intervals."]
    parts += ["## Limits", listed(_limits(fitted))]
    return "\n\n".join(parts) + "\n"


def _languages(fitted: FittedTagger) -> list[str]:
    lines = [f"Trained on: {', '.join(fitted.langs) or 'a language that was not named'}"]
    own = ", ".join(fitted.own_heads)
    return lines + ([f"Answered by a head of their own: {own}"] if own else [])


def _limits(fitted: FittedTagger) -> list[str]:
    limits = [
        "Tags of a language that is not of training are a guess until sentences of it were scored.",
        "It gives no tag but those above, to any word.",
        "No training sentence lies in the model.",
    ]
    if fitted.names is not None:
        limits.append("Names are found in the languages of the knowledge base alone.")
    return limits
