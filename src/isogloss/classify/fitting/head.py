"""Fit a head on vectors of texts, and on the entities they name where texts are linked."""

from typing import Any

from isogloss.classify.documents.documents import Part
from isogloss.classify.examples import Examples
from isogloss.classify.heads.head import EncoderOnlyHead, Head, needed
from isogloss.classify.heads.mboe import MboeHead
from isogloss.classify.heads.mboe_plus import MboePlusHead
from isogloss.classify.options import ATTENTIONS
from isogloss.classify.preparation import Preparation
from isogloss.errors import InputError
from isogloss.learn.linear_head import LinearHead, fit_with_search
from isogloss.learn.search import Search
from isogloss.learn.threads import learning


def fit_encoder_only(
    train: Part, dev: Part | None, n_classes: int, search: Search, *, seed: int
) -> LinearHead:
    """Fit the classifier of vectors alone, C chosen on `dev` or by cross-validation."""
    judged_by = None if dev is None else (dev.documents.vectors, dev.y)
    with learning(len(train.y), n_classes):
        return fit_with_search(
            train.documents.vectors, train.y, n_classes, seed=seed, dev=judged_by, search=search
        )


def fit_head(
    preparation: Preparation,
    train: Part,
    dev: Part | None,
    n_classes: int,
    search: Search,
    *,
    fine_tuned: LinearHead | None = None,
) -> Head:
    """Fit the head, its hyper-parameters chosen on `dev` or by cross-validation.

    Parameters
    ----------
    fine_tuned
        The classifier that was trained with the encoder, beside which the entities of
        ``mboe-plus`` vote; None: the encoder stays frozen.

    Raises
    ------
    InputError
        When the entities of the training texts have no vectors at all.
    """
    options, documents = preparation.options, train.documents
    seed, batch = options.random_state, preparation.entity_batch(documents)
    if batch is None:
        alone = fine_tuned or fit_encoder_only(train, dev, n_classes, search, seed=seed)
        return EncoderOnlyHead(alone)
    if fine_tuned is None and not len(batch.entities) and documents.n_without_vector:
        raise InputError(
            "no entity of the training texts has a vector among those given as init; are the "
            "ids those of the knowledge base?"
        )
    attention = ATTENTIONS[options.attention]
    how: dict[str, Any] = {"attention": attention, "seed": seed, "search": search}
    if dev is not None:
        of_dev = needed(preparation.entity_batch(dev.documents))
        how["dev"] = (dev.documents.vectors, of_dev, dev.y)
    given = (documents.vectors, batch, train.y, n_classes)
    with learning(len(train.y), n_classes):
        if options.preset == "mboe":
            return MboeHead.fit(*given, **how)
        return MboePlusHead.fit(*given, **how, encoder_only=fine_tuned)


def examples_of(preparation: Preparation, head: Head, train: Part) -> Examples:
    """Return the training texts, with what the linear part of the head reads of them."""
    documents = train.documents
    inputs = head.inputs(documents.vectors, preparation.entity_batch(documents))
    return Examples.of(train.texts, train.y, documents.langs, inputs)
