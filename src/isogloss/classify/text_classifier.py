"""`TextClassifier`: label in one language, predict in many, with the entities a text names.

A scikit-learn estimator over the parts of this package: documents are encoded and linked
(`documents`), entities get vectors (`entity_source`), a head learns (`linear_head`, `mboe`,
`mboe_plus`). Scores are `evaluation`'s business, evidence `explanation`'s, files `persistence`'s.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from isogloss.arrays import Bools1d, Doubles2d, Ints1d
from isogloss.classify.documents import (
    Languages,
    LinkingOptions,
    PreparedDocuments,
    prepare_documents,
    resolve_languages,
    warn_of_languages,
)
from isogloss.classify.entity_batch import EntityBatch
from isogloss.classify.entity_source import EntitySource, Init, entity_source
from isogloss.classify.inputs import checked_pairs, checked_texts, label_array, sorted_labels
from isogloss.classify.linear_head import LinearHead, fit_with_search
from isogloss.classify.mboe import MboeHead
from isogloss.classify.mboe_plus import MboePlusHead
from isogloss.classify.options import ATTENTIONS, AttentionChoice, Preset, check_options
from isogloss.encode import Encoder
from isogloss.encode.model import capped_threads
from isogloss.encode.settings import Pooling
from isogloss.errors import InputError, warn_loss
from isogloss.kb import KnowledgeBase
from isogloss.text.languages import parse_language

if TYPE_CHECKING:
    from isogloss.classify.evaluation import Evaluation
    from isogloss.classify.explanation import Explanation

Head = LinearHead | MboeHead | MboePlusHead


class TextClassifier(ClassifierMixin, BaseEstimator):
    """Classify texts of many languages from labels in one, on a frozen encoder.

    Parameters
    ----------
    encoder
        An `Encoder`, or what `Encoder.load` takes: ``"bundled"``, a directory, a hub name.
    kb
        A `KnowledgeBase` or its directory; None: the encoder alone, a standardised logistic
        regression.
    preset
        How entities are used: ``"mboe"`` adds them to the encoder's vector (Nishikawa et al.
        2022), ``"mboe-plus"`` (the default) lets them vote with a weight that grows with their
        number, so that a text without entities is classified by the encoder alone.
    tune
        ``"head"``: the encoder stays frozen.
    init
        Vectors of entities before training: ``"encoder"`` (of their names), ``"random"``, or an
        `EntityVectors`.
    attention
        True: learned; ``"mean"``: equal weights; ``"sum"``: no weights.
    max_entities
        At most so many entities a text, the commonest first; None: all.
    min_link_prob, min_commonness
        Candidates below either are left out; the paper's values.
    nested
        Link names inside longer names too; the longest alone by default.
    pooling
        ``"mean"``, ``"cls"`` or ``"pooler"``; None: the encoder's own.
    device, dtype
        Passed to `Encoder.load` when `encoder` is a name.
    random_state
        Seed of folds, entity dropout and random vectors; a whole number, 0 or more.

    Attributes
    ----------
    classes_
        Labels in the order of `predict_proba`'s columns: sorted, or as first met where labels
        cannot be sorted.
    head_, encoder_, kb_, langs_
        What was learned, with what, from texts of which languages.

    Examples
    --------
    >>> from isogloss import TextClassifier
    >>> texts = ["The cup final was lost.", "The bank raised its rates."] * 4
    >>> model = TextClassifier().fit(texts, ["sport", "economy"] * 4, lang="en")
    >>> model.predict(["Die Zentralbank senkt den Zins."], lang="de").tolist()
    ['economy']
    """

    def __init__(
        self,
        encoder: str | Path | Encoder = "bundled",
        kb: str | Path | KnowledgeBase | None = None,
        *,
        preset: Preset = "mboe-plus",
        tune: Literal["head"] = "head",
        init: Init = "encoder",
        attention: AttentionChoice = True,
        max_entities: int | None = None,
        min_link_prob: float = 0.01,
        min_commonness: float = 0.05,
        nested: bool = False,
        pooling: Pooling | None = None,
        device: str = "auto",
        dtype: str = "float32",
        random_state: int = 0,
    ) -> None:
        self.encoder = encoder
        self.kb = kb
        self.preset = preset
        self.tune = tune
        self.init = init
        self.attention = attention
        self.max_entities = max_entities
        self.min_link_prob = min_link_prob
        self.min_commonness = min_commonness
        self.nested = nested
        self.pooling = pooling
        self.device = device
        self.dtype = dtype
        self.random_state = random_state

    def fit(
        self,
        X: Sequence[str],
        y: Sequence[Any],
        lang: Languages = None,
        *,
        X_dev: Sequence[str] | None = None,
        y_dev: Sequence[Any] | None = None,
        lang_dev: Languages = None,
    ) -> Self:
        """Learn from labelled texts.

        Parameters
        ----------
        X, y
            Texts and their labels (strings, integers, anything hashable).
        lang
            Language of the texts: one code, a code or None for each, or ``"auto"``. Needed with
            a knowledge base.
        X_dev, y_dev, lang_dev
            Development data to choose hyper-parameters by; without it they are chosen by
            cross-validation on the training data.

        Raises
        ------
        InputError
            When an option is not known, the numbers differ, or there is one class only.
        """
        check_options(self.get_params(deep=False))
        if (X_dev is None) != (y_dev is None):
            raise InputError("X_dev and y_dev go together; one of them is missing")
        texts, labels = checked_pairs(X, y)
        langs = resolve_languages(lang, texts)
        self._start(labels, langs)
        documents = self._prepare(texts, langs)
        dev = None
        if X_dev is not None and y_dev is not None:
            if lang_dev is None and isinstance(lang, str):
                lang_dev = lang
            if lang_dev is None and self.kb_ is not None:
                raise InputError("lang_dev is needed, as lang is given text by text")
            dev = self._dev(X_dev, y_dev, lang_dev)
        self.n_training_documents_ = len(texts)
        self.head_ = self._fit_head(documents, self._numbers(labels), dev)
        return self

    def predict(
        self, X: Sequence[str], lang: Languages = None, *, fallback_lang: str | None = None
    ) -> np.ndarray[tuple[int], np.dtype[Any]]:
        """Return the most likely label of each text, the first of equals; see `predict_proba`."""
        return self.labels_of(self.predict_proba(X, lang, fallback_lang=fallback_lang))

    def predict_proba(
        self, X: Sequence[str], lang: Languages = None, *, fallback_lang: str | None = None
    ) -> Doubles2d:
        """Return p(c | D): float64 (n_texts, n_classes), columns in the order of ``classes_``.

        Parameters
        ----------
        X
            Texts.
        lang
            Their language, as in `fit`.
        fallback_lang
            Link names of this language too where the text's own names nothing.
        """
        return self.probabilities(self.prepare(X, lang, fallback_lang=fallback_lang))

    def score(
        self,
        X: Sequence[str],
        y: Sequence[Any],
        lang: Languages = None,
        sample_weight: Sequence[float] | None = None,
        *,
        fallback_lang: str | None = None,
    ) -> float:
        """Return the accuracy over all texts, as scikit-learn's model selection asks for it."""
        texts, labels = checked_pairs(X, y)
        predicted = self.predict(texts, lang, fallback_lang=fallback_lang).tolist()
        right = [ours == theirs for ours, theirs in zip(predicted, labels, strict=True)]
        return float(np.average(right, weights=sample_weight))

    def prepare(
        self, X: Sequence[str], lang: Languages = None, *, fallback_lang: str | None = None
    ) -> PreparedDocuments:
        """Encode and link texts for this model."""
        check_is_fitted(self, "head_")
        texts = checked_texts(X)
        return self._prepare(texts, resolve_languages(lang, texts), fallback_lang)

    def probabilities(self, documents: PreparedDocuments) -> Doubles2d:
        """Return p(c | D) of prepared documents: float64 (n_documents, n_classes)."""
        return np.exp(self.log_probabilities(documents))

    def log_probabilities(
        self, documents: PreparedDocuments, *, with_entities: bool = True
    ) -> Doubles2d:
        """Return log p(c | D) of prepared documents: float64 (n_documents, n_classes).

        Parameters
        ----------
        with_entities
            False: as if nothing had been linked.
        """
        if isinstance(self.head_, LinearHead):
            return self.head_.log_probabilities(documents.vectors)
        batch = self.entity_batch(documents)
        if not with_entities:
            batch = batch.thin(0.0, np.random.default_rng(0))
        return self.head_.log_probabilities(documents.vectors, batch)

    def entity_batch(self, documents: PreparedDocuments) -> EntityBatch:
        """Return the documents' entities with their initial vectors (needs a knowledge base)."""
        if documents.bags is None:
            raise ValueError("these documents were prepared without a knowledge base")
        return EntityBatch.of(documents.bags, self._source())

    def labels_of(self, scores: Doubles2d) -> np.ndarray[tuple[int], np.dtype[Any]]:
        """Return the label of the largest of each row of (n_texts, n_classes) scores."""
        labels: np.ndarray[tuple[int], np.dtype[Any]] = self.classes_[scores.argmax(axis=1)]
        return labels

    def seen_entities(self, entities: Ints1d) -> Bools1d:
        """Return bool (n,): which knowledge base indices training met."""
        if isinstance(self.head_, LinearHead):
            return np.zeros(len(entities), dtype=bool)
        return self.head_.memory.is_seen(entities)

    @property
    def linking_options(self) -> LinkingOptions:
        """What is kept of what is linked."""
        return LinkingOptions(
            self.min_link_prob, self.min_commonness, self.max_entities, self.nested
        )

    def evaluate(
        self,
        X: Sequence[str],
        y: Sequence[Any],
        lang: Languages = None,
        *,
        ids: Sequence[str | None] | None = None,
        fallback_lang: str | None = None,
        versus: "TextClassifier | None" = None,
    ) -> "Evaluation":
        """Score by language; see `isogloss.classify.evaluation.evaluate`."""
        from isogloss.classify.evaluation import evaluate

        return evaluate(self, X, y, lang, ids=ids, fallback_lang=fallback_lang, versus=versus)

    def explain(
        self, text: str, lang: str | None = None, *, fallback_lang: str | None = None
    ) -> "Explanation":
        """Explain one prediction; see `isogloss.classify.explanation.explain`."""
        from isogloss.classify.explanation import explain

        return explain(self, text, lang, fallback_lang=fallback_lang)

    def save(self, path: str | Path, *, embed_kb: bool = False, overwrite: bool = False) -> None:
        """Write the model as a directory; see `isogloss.classify.persistence`."""
        from isogloss.classify.persistence import save_classifier

        save_classifier(self, Path(path), embed_kb=embed_kb, overwrite=overwrite)

    @classmethod
    def load(
        cls,
        path: str | Path,
        *,
        encoder: str | Path | Encoder | None = None,
        kb: str | Path | KnowledgeBase | None = None,
        device: str = "auto",
        threads: int | None = None,
    ) -> "TextClassifier":
        """Read a model that `save` wrote.

        Parameters
        ----------
        encoder, kb
            Where the encoder or the knowledge base is now, when it is not where it was; another
            one than the model was trained with is refused.
        device, threads
            As in `Encoder.load`.
        """
        from isogloss.classify.persistence import load_classifier

        return load_classifier(Path(path), encoder=encoder, kb=kb, device=device, threads=threads)

    def _start(self, labels: list[Any], langs: list[str | None]) -> None:
        self.classes_ = label_array(sorted_labels(labels))
        if len(self.classes_) < 2:
            raise InputError(
                f"all {len(labels)} training labels are {labels[0]!r}; "
                "two classes are needed at least"
            )
        self.langs_ = tuple(dict.fromkeys(lang for lang in langs if lang is not None))
        self.kb_ = self.kb if isinstance(self.kb, KnowledgeBase | None) else _open(self.kb)
        if self.kb_ is not None and not self.langs_:
            raise InputError(
                "the language of the training texts is needed to link them; give lang='en', a "
                "code for each text, or 'auto'"
            )
        self.encoder_ = (
            self.encoder
            if isinstance(self.encoder, Encoder)
            else Encoder.load(self.encoder, device=self.device, dtype=self.dtype)
        )

    def _prepare(
        self, texts: list[str], langs: list[str | None], fallback_lang: str | None = None
    ) -> PreparedDocuments:
        documents = prepare_documents(
            texts,
            langs,
            encoder=self.encoder_,
            pooling=self.pooling,
            kb=self.kb_,
            training_langs=self.langs_,
            options=self.linking_options,
            fallback_lang=None if fallback_lang is None else parse_language(fallback_lang),
        )
        warn_of_languages(langs, self.kb_)
        if documents.truncated.any():
            warn_loss(
                f"{documents.truncated.sum()} of {len(texts)} texts are longer than the encoder "
                "takes; only their beginning was read"
            )
        return documents

    def _dev(
        self, X: Sequence[str], y: Sequence[Any], lang: Languages
    ) -> tuple[PreparedDocuments, Ints1d]:
        texts, labels = checked_pairs(X, y)
        known = set(self.classes_.tolist())
        kept = [row for row, label in enumerate(labels) if label in known]
        if len(kept) < len(labels):
            warn_loss(
                f"{len(labels) - len(kept)} of {len(labels)} development texts have a label "
                "that training lacks; they are left out"
            )
        if not kept:
            raise InputError("no development text has a label of the training data")
        langs = resolve_languages(lang, texts)
        documents = self._prepare([texts[row] for row in kept], [langs[row] for row in kept])
        return documents, self._numbers([labels[row] for row in kept])

    def _fit_head(
        self,
        documents: PreparedDocuments,
        y: Ints1d,
        dev: tuple[PreparedDocuments, Ints1d] | None,
    ) -> Head:
        seed, n_classes = self.random_state, len(self.classes_)
        if self.kb_ is None:
            judged_by = None if dev is None else (dev[0].vectors, dev[1])
            with _one_thread():
                return fit_with_search(documents.vectors, y, n_classes, seed=seed, dev=judged_by)
        head = MboeHead if self.preset == "mboe" else MboePlusHead
        batch = self.entity_batch(documents)
        if not len(batch.entities) and documents.bags is not None and len(documents.bags.entity):
            raise InputError(
                "no entity of the training texts has a vector among those given as init; are the "
                "ids those of the knowledge base?"
            )
        held_out = None if dev is None else (dev[0].vectors, self.entity_batch(dev[0]), dev[1])
        with _one_thread():
            return head.fit(
                documents.vectors,
                batch,
                y,
                n_classes,
                attention=ATTENTIONS[self.attention],
                seed=seed,
                dev=held_out,
            )

    def _source(self) -> EntitySource:
        if self.kb_ is None:
            raise ValueError("a classifier without a knowledge base has no entity vectors")
        return entity_source(
            self.init, self.kb_, self.encoder_, langs=self.langs_, seed=self.random_state
        )

    def _numbers(self, labels: list[Any]) -> Ints1d:
        number = {label: index for index, label in enumerate(self.classes_.tolist())}
        return np.array([number[label] for label in labels], dtype=np.int64)


@contextmanager
def _one_thread() -> Iterator[None]:
    # The matrices of a head are small: threads would wait for each other (24 times slower on two
    # cores), and the result would depend on their number. Encoding names comes before, with all.
    # torch carries a matrix library of its own, which threadpoolctl does not reach. Its number is
    # capped first and given back last, as the other limit changes what torch takes for its own.
    with capped_threads(1), threadpool_limits(1):
        yield


def _open(kb: str | Path | KnowledgeBase) -> KnowledgeBase:
    return kb if isinstance(kb, KnowledgeBase) else KnowledgeBase.open(kb)
