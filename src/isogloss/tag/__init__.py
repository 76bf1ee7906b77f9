"""Tag words of many languages from tagged sentences of one: parts of speech, named entities."""

from typing import TYPE_CHECKING

from isogloss.late import late_names

if TYPE_CHECKING:
    from isogloss.tag.sentences import TaggedSentences
    from isogloss.tag.token_tagger import TokenTagger

__all__ = ["TaggedSentences", "TokenTagger"]

if not TYPE_CHECKING:
    __getattr__, __dir__ = late_names(
        __name__,
        {
            "TaggedSentences": "sentences",
            "TokenTagger": "token_tagger",
        },
    )
