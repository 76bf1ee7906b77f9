"""Tag words of many languages from tagged sentences of one: parts of speech, named entities."""

from isogloss.tag.sentences import TaggedSentences
from isogloss.tag.token_tagger import TokenTagger

__all__ = ["TaggedSentences", "TokenTagger"]
