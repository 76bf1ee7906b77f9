"""`TokenTagger`: tag words in one language, and in a hundred others.

A scikit-learn estimator over the parts of this package: what is given is checked (`sentences`,
`options`), and `fit` makes a `FittedTagger` of it, which is asked for every answer.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from isogloss.arrays import Doubles2d
from isogloss.encode import Encoder
from isogloss.encode.words.token_pooling import WordPooling
from isogloss.errors import InputError
from isogloss.kb import KnowledgeBase
from isogloss.learn.tuning_options import Tune, TuningOptions
from isogloss.tag.entities import SchemeChoice
from isogloss.tag.fitted import Answers, FittedTagger
from isogloss.tag.fitting import learn_tagger
from isogloss.tag.options import OwnHeads
from isogloss.tag.saving import load_tagger, save_tagger
from isogloss.tag.sentences import TaggedSentences, checked_languages, checked_sentences


class TokenTagger(BaseEstimator):
    """Tag the words of many languages from tagged sentences of one, on a multilingual encoder.

    Parameters
    ----------
    encoder
        An `Encoder`, or what `Encoder.load` takes: ``"bundled"``, a directory, a hub name.
    kb
        A `KnowledgeBase` or its directory: names that are linked are evidence beside the encoder,
        where they help on held-out words (`isogloss.tag.names`). None: the encoder alone.
    layer
        From which layers the vector of a word is: a number, a range (``"5-8"``: their mean), or
        ``"auto"``, the rule of `isogloss.tag.choice`. Layers above are not computed.
    pieces
        How a word's vector is made of those of its pieces: ``"mean"``, ``"first"`` or ``"last"``.
    scheme
        Of tags of entities: ``"IOB1"``, ``"IOB2"``, ``"BIOES"``, ``"BILOU"``, or ``"auto"``, found
        out; a sentence then gets the likeliest sequence of tags that the scheme allows.
        ``"none"``: each word gets the likeliest tag by itself.
    tune
        ``"head"``: the encoder stays frozen; ``"lora"``: low-rank matrices beside its linear maps
        learn (needs peft); ``"full"``: the whole encoder learns. It starts from the frozen head.
    training
        How it is fine-tuned: a `TuningOptions`, or a dictionary of its options.
    C
        Inverse strength of the L2 penalty, of the head that answers for all languages; None: chosen
        by the same rule.
    own_heads
        ``"auto"``: a training language with fewer words than the others together is answered by a
        head of its own where the out-of-fold log-loss is lower (`isogloss.tag.own_heads`).
        ``"none"``: one head answers for all languages, as always where the encoder is tuned.
    device, dtype
        Passed to `Encoder.load` when `encoder` is a name.
    random_state
        Seed of the sentences that are held out and of folds; a whole number, 0 to 4,294,967,295.

    Attributes
    ----------
    tag_names_
        In the order of `predict_proba`'s columns: sorted.
    layers_, C_
        What was chosen, or given.
    langs_
        The training languages.
    fitted_
        All that was learned as one `FittedTagger`, which answers without the estimator.

    Examples
    --------
    >>> from isogloss import TokenTagger
    >>> sentences = [["the", "dogs", "bark"], ["a", "cat", "sleeps"]] * 5
    >>> tags = [["DET", "NOUN", "VERB"]] * 10
    >>> tagger = TokenTagger(layer=6).fit(sentences, tags, lang="en")
    >>> tagger.predict([["eine", "Katze", "schläft"]], lang="de")
    [['DET', 'NOUN', 'VERB']]
    """

    def __init__(
        self,
        encoder: str | Path | Encoder = "bundled",
        kb: str | Path | KnowledgeBase | None = None,
        *,
        layer: int | str = "auto",
        pieces: WordPooling = "mean",
        scheme: SchemeChoice = "auto",
        tune: Tune = "head",
        training: TuningOptions | Mapping[str, Any] | None = None,
        C: float | None = None,
        own_heads: OwnHeads = "auto",
        device: str = "auto",
        dtype: str = "float32",
        random_state: int = 0,
    ) -> None:
        self.encoder = encoder
        self.kb = kb
        self.layer = layer
        self.pieces = pieces
        self.scheme = scheme
        self.tune = tune
        self.training = training
        self.C = C
        self.own_heads = own_heads
        self.device = device
        self.dtype = dtype
        self.random_state = random_state

    def fit(
        self,
        sentences: Sequence[Sequence[str]],
        tags: Sequence[Sequence[str]],
        lang: str | Sequence[str],
        *,
        dev: TaggedSentences | None = None,
        checkpoints: str | Path | None = None,
    ) -> Self:
        """Learn from tagged sentences.

        Parameters
        ----------
        sentences, tags
            Words of each sentence, and the tag of each word.
        lang
            Language of the sentences: one code, or one for each.
        dev
            Sentences to choose layers, penalty and the epoch of tuning by, of a training language;
            None: some of the training sentences are held out for it.
        checkpoints
            Folder that keeps a fine-tuning run, so that a killed one resumes; made when missing.

        Raises
        ------
        InputError
            When an option is not known, the numbers differ, or there is one tag only.
        """
        train = TaggedSentences.of(sentences, tags, lang)
        self.__dict__.pop("fitted_", None)  # a fit that fails must not leave the one before
        self.fitted_ = learn_tagger(
            self.get_params(deep=False),
            train,
            dev,
            checkpoints=None if checkpoints is None else Path(checkpoints),
        )
        return self

    def predict(
        self, sentences: Sequence[Sequence[str]], lang: str | Sequence[str]
    ) -> list[list[str]]:
        """Return the tag of each word.

        Parameters
        ----------
        sentences, lang
            As in `fit`; a sentence may be empty.
        """
        return self._fitted.tags_of(self.answers(sentences, lang))

    def predict_proba(
        self, sentences: Sequence[Sequence[str]], lang: str | Sequence[str]
    ) -> list[Doubles2d]:
        """Return p(tag | word) of each sentence: float64 (n_words, n_tags), as ``tag_names_``."""
        answers = self.answers(sentences, lang)
        probabilities = np.exp(answers.log_probabilities)
        return [probabilities[first:end] for first, end in pairwise(answers.starts)]

    def answers(self, sentences: Sequence[Sequence[str]], lang: str | Sequence[str]) -> Answers:
        """Return log p(tag | word) of all words, and which have no piece."""
        words = checked_sentences(sentences)
        return self._fitted.answers(words, checked_languages(lang, len(words)))

    def score(
        self, sentences: Sequence[Sequence[str]], tags: Sequence[Sequence[str]],
        lang: str | Sequence[str],
    ) -> float:  # fmt: skip
        """Return the share of words with the right tag, as model selection asks for it."""
        gold = TaggedSentences.of(sentences, tags, lang)
        found = self.predict(gold.sentences, gold.langs)
        right = [
            ours == theirs
            for one, other in zip(found, gold.tags, strict=True)
            for ours, theirs in zip(one, other, strict=True)
        ]
        if not right:
            raise InputError("there are no words to score; give tagged sentences")
        return float(np.mean(right))

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the model as a directory; see `isogloss.tag.saving`."""
        save_tagger(self._fitted, Path(path), overwrite=overwrite)

    @classmethod
    def load(
        cls,
        path: str | Path,
        *,
        encoder: str | Path | Encoder | None = None,
        kb: str | Path | KnowledgeBase | None = None,
        device: str = "auto",
        threads: int | None = None,
    ) -> Self:
        """Read a model that `save` wrote.

        Parameters
        ----------
        encoder, kb
            Where the encoder or the knowledge base is now, when it is not where it was.

        Raises
        ------
        InputError
            When `path` is no tagger, is damaged, or its encoder or knowledge base is another.
        """
        loaded = load_tagger(path, encoder=encoder, kb=kb, device=device, threads=threads)
        model = cls(**loaded.parameters)
        model.fitted_ = loaded.fitted
        return model

    @property
    def _fitted(self) -> FittedTagger:
        check_is_fitted(self, "fitted_")
        return self.fitted_

    @property
    def tag_names_(self) -> tuple[str, ...]:
        """Tags in the order of `predict_proba`'s columns."""
        return self._fitted.tag_names

    @property
    def layers_(self) -> tuple[int, ...]:
        """The layers whose mean is taken."""
        return self._fitted.reading.layers

    @property
    def C_(self) -> float:  # noqa: N802
        """Inverse strength of the penalty."""
        return self._fitted.head.C

    @property
    def langs_(self) -> tuple[str, ...]:
        """The training languages."""
        return self._fitted.langs
