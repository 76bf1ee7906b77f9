"""`TextClassifier`: label in one language, predict in many, with the entities a text names.

A scikit-learn estimator over the parts of this package: what is given is checked
(`training_data`), documents are encoded and linked (`preparation`), a head learns (`fitting`, or
`class_names`). Scores are `evaluation`'s business, evidence `explanation`'s, files
`persistence`'s.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from isogloss.arrays import Doubles2d
from isogloss.classify.adapt.adaptation import Adaptation, adapt, moved_log_probabilities
from isogloss.classify.adapt.shift import LanguageMove
from isogloss.classify.documents.documents import Languages, PreparedDocuments, resolve_languages
from isogloss.classify.documents.entity_batch import EntityBatch
from isogloss.classify.documents.entity_source import Init
from isogloss.classify.documents.odd_texts import warn_of_wordless
from isogloss.classify.fitting.fit import learn
from isogloss.classify.fitting.training_data import TrainingData
from isogloss.classify.labels.columns import ClassNames, checked_texts, checked_weights
from isogloss.classify.labels.labelling import Labelling, labelling_of
from isogloss.classify.options import AttentionChoice, FittedOptions, Preset, Thresholds
from isogloss.classify.preparation import Preparation
from isogloss.classify.tuning.fit import base_encoder
from isogloss.encode import Encoder
from isogloss.encode.settings import LongTexts, Pooling
from isogloss.kb import KnowledgeBase
from isogloss.learn.tuning_options import Tune, TuningOptions
from isogloss.statistics.calibration import tempered
from isogloss.text.languages import parse_language

if TYPE_CHECKING:
    from isogloss.classify.evaluate.evaluation import Evaluation
    from isogloss.classify.evaluate.explanation import Explanation
    from isogloss.classify.trust.forecast import Forecast


class TextClassifier(ClassifierMixin, BaseEstimator):
    """Classify texts of many languages from labels in one, on a frozen or a tuned encoder.

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
        ``"head"``: the encoder stays frozen; ``"lora"``: low-rank matrices beside its linear maps
        learn (needs peft); ``"full"``: the whole encoder learns.
    training
        How it is tuned: a `TuningOptions`, or a dictionary of its options.
    multilabel
        True: a text has any number of labels; `y` holds label sets (lists, tuples, sets), and
        `predict` gives tuples.
    thresholds
        Of `multilabel`: from which probability on a label is given. ``"half"``: 0.5, as in the
        paper; ``"tuned"``: the best F1 of each label on the development data, or out of fold.
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
    long_texts
        Of texts with more tokens than the encoder takes: ``"cut"`` reads their beginning,
        ``"windows"`` all of them (see `isogloss.encode.windows`); None: the encoder's own way,
        or cut where it is tuned.
    lang
        Language of texts where a method is given none: a code, ``"auto"`` or ``"auto:es,tr"``.
        For cross-validation in one language, which then needs no metadata routing.
    device, dtype
        Passed to `Encoder.load` when `encoder` is a name.
    random_state
        Seed of folds, entity dropout and random vectors; a whole number, 0 to 4,294,967,295.

    Attributes
    ----------
    classes_
        Labels in the order of `predict_proba`'s columns: sorted, or as first met where labels
        cannot be sorted.
    moves_
        Language to how its vectors are moved; filled by `adapt`.
    head_, encoder_, kb_, langs_, options_
        What was learned, with what, from texts of which languages, under which parameters; a
        parameter set later waits for the next `fit`.

    Examples
    --------
    >>> from isogloss import TextClassifier
    >>> texts = ["The cup final was lost.", "The bank raised its rates."] * 4
    >>> model = TextClassifier().fit(texts, ["sport", "economy"] * 4, lang="en")
    >>> model.predict(["Die Zentralbank senkt den Zins."], lang="de").tolist()
    ['economy']
    """

    def __sklearn_tags__(self) -> Tags:
        """Say to scikit-learn that X is a list of strings, as `CountVectorizer` does."""
        tags = super().__sklearn_tags__()
        tags.input_tags.string = tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        return tags

    def __init__(
        self,
        encoder: str | Path | Encoder = "bundled",
        kb: str | Path | KnowledgeBase | None = None,
        *,
        preset: Preset = "mboe-plus",
        tune: Tune = "head",
        training: TuningOptions | Mapping[str, Any] | None = None,
        multilabel: bool = False,
        thresholds: Thresholds = "half",
        init: Init = "encoder",
        attention: AttentionChoice = True,
        max_entities: int | None = None,
        min_link_prob: float = 0.01,
        min_commonness: float = 0.05,
        nested: bool = False,
        pooling: Pooling | None = None,
        long_texts: LongTexts | None = None,
        lang: str | None = None,
        device: str = "auto",
        dtype: str = "float32",
        random_state: int = 0,
    ) -> None:
        self.encoder = encoder
        self.kb = kb
        self.preset = preset
        self.tune = tune
        self.training = training
        self.multilabel = multilabel
        self.thresholds = thresholds
        self.init = init
        self.attention = attention
        self.max_entities = max_entities
        self.min_link_prob = min_link_prob
        self.min_commonness = min_commonness
        self.nested = nested
        self.pooling = pooling
        self.long_texts = long_texts
        self.lang = lang
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
        class_names: ClassNames | None = None,
        checkpoints: str | Path | None = None,
    ) -> Self:
        """Learn from labelled texts.

        Parameters
        ----------
        X, y
            Texts and their labels (strings, integers, anything hashable), or label sets.
        lang
            Language of the texts: one code, a code or None for each, ``"auto"``, or
            ``"auto:es,tr"``; None: the parameter `lang`. Needed with a knowledge base.
        X_dev, y_dev, lang_dev
            Development data to choose hyper-parameters by; without it they are chosen by
            cross-validation on the training data, or by a part of it that tuning holds out.
        class_names
            Label to its name or description, or several: they count beside the texts, of which
            there may be few or none; the encoder alone, see
            `isogloss.classify.fitting.class_names`.
        checkpoints
            Folder that keeps a tuning run, so that a killed one goes on; made when missing.

        Raises
        ------
        InputError
            When an option is not known, the numbers differ, there is one class only, or labels of
            different kinds are equal (1 and True).
        """
        data = TrainingData.of(
            self.get_params(deep=False),
            X,
            y,
            lang,
            X_dev=X_dev,
            y_dev=y_dev,
            lang_dev=lang_dev,
            class_names=class_names,
            checkpoints=checkpoints,
        )
        self._start(data)
        folder = None if checkpoints is None else Path(checkpoints)
        learned = learn(self.preparation, data, tuning=self.tuning_, checkpoints=folder)
        self.encoder_ = learned.preparation.encoder
        self.random_scale_: float | None = learned.preparation.random_scale
        self.n_training_documents_ = learned.n_documents
        self.thresholds_, self.trust_ = learned.thresholds, learned.trust
        self.reference_ = learned.reference
        self.head_ = learned.head
        return self

    def predict(
        self, X: Sequence[str], lang: Languages = None, *, fallback_lang: str | None = None
    ) -> np.ndarray[tuple[int], np.dtype[Any]]:
        """Return the most likely label of each text, the first of equals; see `predict_proba`.

        With `multilabel`, a tuple: the labels whose probability reaches their threshold.
        """
        return self.labels_of(self.predict_proba(X, lang, fallback_lang=fallback_lang))

    def predict_proba(
        self, X: Sequence[str], lang: Languages = None, *, fallback_lang: str | None = None
    ) -> Doubles2d:
        """Return p(c | D): float64 (n_texts, n_classes), columns in the order of ``classes_``.

        They are calibrated on held-out texts of the training language (`trust_`), in their order.
        With `multilabel` each label is a question of its own, and nothing is calibrated.

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
        """Return the accuracy over all texts, as scikit-learn's model selection asks for it.

        With `multilabel`, the share of texts that get just their labels.

        Parameters
        ----------
        sample_weight
            How much each text counts, 0 or more; None: all alike.
        """
        texts, labels = self.labelling.check(X, y)
        weights = checked_weights(sample_weight, len(texts))
        predicted = self.predict(texts, lang, fallback_lang=fallback_lang).tolist()
        equal = self.labelling.equal
        right = [equal(ours, theirs) for ours, theirs in zip(predicted, labels, strict=True)]
        return float(np.average(right, weights=weights))

    def prepare(
        self, X: Sequence[str], lang: Languages = None, *, fallback_lang: str | None = None
    ) -> PreparedDocuments:
        """Encode and link texts for this model."""
        check_is_fitted(self, "head_")
        texts = checked_texts(X)
        fallback_lang = None if fallback_lang is None else parse_language(fallback_lang)
        langs = self.languages_of(texts, lang)
        warn_of_wordless(texts)
        return self.preparation.documents(texts, langs, fallback_lang=fallback_lang)

    def languages_of(self, texts: Sequence[str], lang: Languages) -> list[str | None]:
        """Return the canonical language of each text, None where it is not known."""
        return resolve_languages(self.options_.lang if lang is None else lang, texts)

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
        answers = moved_log_probabilities(self, documents, with_entities=with_entities)
        return tempered(answers, self.trust_.temperature)

    def entity_batch(self, documents: PreparedDocuments) -> EntityBatch | None:
        """Return the entities of prepared documents with their initial vectors; None without kb."""
        return self.preparation.entity_batch(documents)

    def labels_of(self, probabilities: Doubles2d) -> np.ndarray[tuple[int], np.dtype[Any]]:
        """Return the label, or label set, that each row of p(c | D) (n_texts, n_classes) gives."""
        return self.labelling.answers(probabilities, self.classes_, self.thresholds_)

    @property
    def preparation(self) -> Preparation:
        """What texts are read with, as this model was fitted."""
        check_is_fitted(self, "options_")
        return Preparation(
            self.encoder_,
            self.base_encoder_,
            self.kb_,
            self.langs_,
            self.options_,
            self.random_scale_,
        )

    @property
    def labelling(self) -> Labelling:
        """One label a text, or a set of them, as this model was fitted."""
        check_is_fitted(self, "options_")
        return labelling_of(multilabel=self.options_.multilabel)

    def evaluate(
        self,
        X: Sequence[str],
        y: Sequence[Any],
        lang: Languages = None,
        *,
        ids: Sequence[str | None] | None = None,
        fallback_lang: str | None = None,
        versus: "TextClassifier | None" = None,
        abstain_below: float | None = None,
    ) -> "Evaluation":
        """Score by language; see `isogloss.classify.evaluate.evaluation.evaluate`."""
        from isogloss.classify.evaluate.evaluation import evaluate

        return evaluate(
            self,
            X,
            y,
            lang,
            ids=ids,
            fallback_lang=fallback_lang,
            versus=versus,
            abstain_below=abstain_below,
        )

    def forecast(self, X: Sequence[str], lang: Languages = None) -> "Forecast":
        """Forecast the accuracy on unlabelled texts; see `isogloss.classify.trust.forecast`."""
        from isogloss.classify.trust.forecast import forecast

        return forecast(self, X, lang)

    def explain(
        self, text: str, lang: str | None = None, *, fallback_lang: str | None = None
    ) -> "Explanation":
        """Explain one prediction; see `isogloss.classify.evaluate.explanation.explain`."""
        from isogloss.classify.evaluate.explanation import explain

        return explain(self, text, lang, fallback_lang=fallback_lang)

    def adapt(self, lang: str, texts: Sequence[str]) -> Adaptation:
        """Adapt to a language by texts without labels; see `isogloss.classify.adapt.adaptation`."""
        return adapt(self, lang, texts)

    def save(self, path: str | Path, *, embed_kb: bool = False, overwrite: bool = False) -> None:
        """Write the model as a directory; see `isogloss.classify.saving.persistence`."""
        from isogloss.classify.saving.persistence import save_classifier

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
        cache: str | Path | None = None,
    ) -> "TextClassifier":
        """Read a model that `save` wrote; see `isogloss.classify.saving.persistence`."""
        from isogloss.classify.saving.persistence import load_classifier

        return load_classifier(
            path, encoder=encoder, kb=kb, device=device, threads=threads, cache=cache
        )

    def _start(self, data: TrainingData) -> None:
        """Set all that does not have to be learned."""
        self.__dict__.pop("head_", None)  # a fit that fails must not leave half of the one before
        self.options_: FittedOptions = FittedOptions.of(self.get_params(deep=False))
        self.classes_ = data.classes
        self.langs_ = data.langs
        self.kb_: KnowledgeBase | None = (
            self.kb if isinstance(self.kb, KnowledgeBase | None) else KnowledgeBase.open(self.kb)
        )
        encoder = (
            self.encoder
            if isinstance(self.encoder, Encoder)
            else Encoder.load(self.encoder, device=self.device, dtype=self.dtype)
        )
        self.tuning_: TuningOptions | None = None
        if data.tuning is not None:
            self.tuning_ = data.tuning.settled(tune=self.tune, device=encoder.device)
        self.encoder_ = base_encoder(encoder, self.options_, self.tuning_)
        self.base_encoder_ = self.encoder_  # which names of entities are encoded with
        self.moves_: dict[str, LanguageMove] = {}
        self.random_scale_ = None  # root mean square of random vectors
