"""`TextClassifier`: label in one language, predict in many, with the entities a text names.

A scikit-learn estimator over the parts of this package: what is given is checked
(`fitting.training_data`), and `fitting.fit.learn` makes a `FittedClassifier` of it, which is asked
for every answer, scored (`evaluate`), explained, adapted and saved.
"""

from collections.abc import Mapping, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any, Generic, Self, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from isogloss.arrays import Doubles1d, Doubles2d
from isogloss.classify.adaptation import Adaptation, adapt
from isogloss.classify.documents.documents import Languages
from isogloss.classify.documents.entity_source import Init
from isogloss.classify.evaluate.evaluated import Evaluation
from isogloss.classify.evaluate.evaluation import evaluate
from isogloss.classify.evaluate.explanation import Explanation, explain
from isogloss.classify.evaluate.nearest import (
    NearestExamples,
    kept_examples,
    language_means,
    nearest_examples,
)
from isogloss.classify.fitted import FittedClassifier
from isogloss.classify.fitting.fit import learn
from isogloss.classify.fitting.training_data import TrainingData
from isogloss.classify.fitting.tuned import base_encoder
from isogloss.classify.forecast import Forecast, forecast
from isogloss.classify.heads.head import Head
from isogloss.classify.labels.columns import ClassNames, checked_weights
from isogloss.classify.labels.labelling import Array
from isogloss.classify.options import AttentionChoice, FittedOptions, Preset, Thresholds
from isogloss.classify.preparation import Preparation
from isogloss.classify.saving.load import load_classifier
from isogloss.classify.saving.save import save_classifier
from isogloss.classify.shift import ShiftCorrection
from isogloss.classify.trust.trust import Trust
from isogloss.encode import Encoder
from isogloss.encode.settings import LongTexts, Pooling
from isogloss.errors import InputKindError
from isogloss.kb import KnowledgeBase
from isogloss.learn.search import SEARCH, Search
from isogloss.learn.tuning_options import Tune, TuningOptions

T = TypeVar("T")


class _Learned(Generic[T]):
    """What a fit gives, by the name that scikit-learn has for it."""

    def __init__(self, name: str) -> None:
        self._of = attrgetter(name)

    def __get__(self, model: Any, owner: object) -> T:
        found: T = self._of(model._fitted)
        return found


class TextClassifier(ClassifierMixin, BaseEstimator):
    """Classify texts of many languages from labels in one, on a frozen or fine-tuned encoder.

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
        How it is fine-tuned: a `TuningOptions`, or a dictionary of its options.
    multilabel
        True: a text has any number of labels; `y` holds label sets (lists, tuples, sets), and
        `predict` gives tuples.
    thresholds
        Of `multilabel`: from which probability on a label is given. ``"half"``: 0.5, as in the
        paper; ``"tuned"``: the best F1 of each label on the development data, or out-of-fold.
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
        or cut where it is fine-tuned.
    lang
        Language of texts where a method is given none: a code, ``"auto"`` or ``"auto:es,tr"``.
        For cross-validation in one language, which then needs no metadata routing.
    keep_examples
        True: the training texts are kept, in saved models too, so that `nearest_examples` and
        `explain` can show those nearest to a text.
    device, dtype
        Passed to `Encoder.load` when `encoder` is a name.
    random_state
        Seed of folds, entity dropout and random vectors; a whole number, 0 to 4,294,967,295.

    Attributes
    ----------
    search
        What a fit chooses hyper-parameters among; a coarser `Search` makes a quick trial. It is no
        parameter: a clone has the usual one.
    classes_
        Labels in the order of `predict_proba`'s columns: sorted, or as first met where labels
        cannot be sorted.
    corrections_
        Language to the correction of its shift; filled by `adapt`.
    head_, encoder_, kb_, langs_, options_, thresholds_, trust_, tuning_, n_training_documents_
        What was learned, with what, from texts of which languages, under which parameters; a
        parameter set later waits for the next `fit`.
    fitted_
        All of these as one `FittedClassifier`, which answers without the estimator.

    Examples
    --------
    >>> from isogloss import TextClassifier
    >>> texts = ["The cup final was lost.", "The bank raised its rates."] * 4
    >>> model = TextClassifier().fit(texts, ["sport", "economy"] * 4, lang="en")
    >>> model.predict(["Die Zentralbank senkt den Zins."], lang="de").tolist()
    ['economy']
    """

    search: Search = SEARCH

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
        keep_examples: bool = False,
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
        self.keep_examples = keep_examples
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
            Folder that keeps a fine-tuning run, so that a killed one resumes; made when missing.

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
        self.__dict__.pop("fitted_", None)  # a fit that fails must not leave the one before
        kb = self.kb if isinstance(self.kb, KnowledgeBase | None) else KnowledgeBase.open(self.kb)
        encoder = (
            self.encoder
            if isinstance(self.encoder, Encoder)
            else Encoder.load(self.encoder, device=self.device, dtype=self.dtype)
        )
        tuning, options = None, FittedOptions.of(self.get_params(deep=False))
        if data.tuning is not None:
            tuning = data.tuning.settled(tune=self.tune, device=encoder.device)
        base = base_encoder(encoder, options, tuning)
        preparation = Preparation(base, base, kb, data.langs, options)
        folder = None if checkpoints is None else Path(checkpoints)
        self.fitted_ = learn(
            preparation, data, tuning=tuning, checkpoints=folder, search=self.search
        )
        return self

    def predict(
        self, X: Sequence[str], lang: Languages = None, *, fallback_lang: str | None = None
    ) -> Array:
        """Return the most likely label of each text, the first of equals; see `predict_proba`.

        With `multilabel`, a tuple: the labels whose probability reaches their threshold.
        """
        probabilities = self.predict_proba(X, lang, fallback_lang=fallback_lang)
        return self._fitted.labels_of(probabilities)

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
        fitted = self._fitted
        return fitted.probabilities(fitted.prepare(X, lang, fallback_lang=fallback_lang))

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

        With `multilabel`, the subset accuracy (exact match ratio).

        Parameters
        ----------
        sample_weight
            How much each text counts, 0 or more; None: all alike.
        """
        labelling = self._fitted.labelling
        texts, labels = labelling.check(X, y)
        weights = checked_weights(sample_weight, len(texts))
        predicted = self.predict(texts, lang, fallback_lang=fallback_lang).tolist()
        right = [
            labelling.equal(ours, theirs) for ours, theirs in zip(predicted, labels, strict=True)
        ]
        return float(np.average(right, weights=weights))

    @property
    def _fitted(self) -> FittedClassifier:
        check_is_fitted(self, "fitted_")
        return self.fitted_

    classes_ = _Learned[Array]("classes")
    head_ = _Learned[Head]("head")
    encoder_ = _Learned[Encoder]("preparation.encoder")
    kb_ = _Learned["KnowledgeBase | None"]("kb")
    langs_ = _Learned[tuple[str, ...]]("langs")
    options_ = _Learned[FittedOptions]("options")
    corrections_ = _Learned[Mapping[str, ShiftCorrection]]("corrections")
    thresholds_ = _Learned[Doubles1d]("thresholds")
    trust_ = _Learned[Trust]("trust")
    tuning_ = _Learned["TuningOptions | None"]("tuning")
    n_training_documents_ = _Learned[int]("n_training_documents")

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
        target: float | None = None,
    ) -> Evaluation:
        """Score by language; see `isogloss.classify.evaluate.evaluation.evaluate`."""
        if versus is not None and not isinstance(versus, TextClassifier):
            raise InputKindError(f"versus is {versus!r:.40}; give a fitted TextClassifier")
        return evaluate(
            self._fitted,
            X,
            y,
            lang,
            ids=ids,
            fallback_lang=fallback_lang,
            versus=None if versus is None else versus._fitted,
            abstain_below=abstain_below,
            target=target,
        )

    def forecast(self, X: Sequence[str], lang: Languages = None) -> Forecast:
        """Forecast the accuracy on unlabelled texts; see `isogloss.classify.forecast`."""
        return forecast(self._fitted, X, lang)

    def explain(
        self, text: str, lang: str | None = None, *, fallback_lang: str | None = None
    ) -> Explanation:
        """Explain one prediction; see `isogloss.classify.evaluate.explanation.explain`."""
        return explain(self._fitted, text, lang, fallback_lang=fallback_lang)

    def nearest_examples(
        self,
        X: Sequence[str],
        lang: Languages = None,
        *,
        fallback_lang: str | None = None,
        centred: bool = False,
    ) -> NearestExamples:
        """Return the training texts nearest to each text, and how many agree with its label.

        Parameters
        ----------
        X, lang, fallback_lang
            As in `predict`.
        centred
            True: vectors of a language with 20 texts or more among `X` are centred by their mean
            (see `isogloss.classify.examples`), so that the texts beside change the result a little.

        Raises
        ------
        InputError
            When the model was fitted without `keep_examples`.
        """
        fitted = self._fitted
        kept_examples(fitted)
        documents = fitted.prepare(X, lang, fallback_lang=fallback_lang)
        means = language_means(fitted, documents) if centred else {}
        return nearest_examples(fitted, documents, fitted.probabilities(documents), means=means)

    def adapt(self, lang: str, texts: Sequence[str]) -> Adaptation:
        """Adapt to a language by texts without labels; see `isogloss.classify.adaptation`.

        From then on its vectors are corrected. A second call for the same language replaces the
        first correction; a call that is declined changes nothing.
        """
        outcome = adapt(self._fitted, lang, texts)
        if outcome.correction is not None:
            self.fitted_ = self.fitted_.with_correction(outcome.lang, outcome.correction)
        return outcome

    def save(self, path: str | Path, *, embed_kb: bool = False, overwrite: bool = False) -> None:
        """Write the model as a directory; see `isogloss.classify.saving.save`."""
        save_classifier(self._fitted, Path(path), embed_kb=embed_kb, overwrite=overwrite)

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
        """Read a model that `save` wrote; see `isogloss.classify.saving.load`."""
        loaded = load_classifier(
            path, encoder=encoder, kb=kb, device=device, threads=threads, cache=cache
        )
        model = cls(**loaded.parameters)
        model.fitted_ = loaded.fitted
        return model
