"""Preset ``mboe-plus``: entities as a second opinion whose weight grows with what was linked.

    log p(c | D) = log p_h(c) + λ · K / (K + κ) · (log p_z(c) − log p(c)) + constant

p_h is the encoder-only classifier, unchanged; p_z the vote of the K linked entities
(`vote`); p(c) the class priors of the linked training documents, which p_z
holds too and p_h alone may count. With nothing linked the answer is p_h's, to the bit. With any
number of labels a document, each log p is the log-odds of a label, and there is no constant.

λ and κ are chosen on training documents that neither part was fitted on, made to look like those
of another language, without one label of it: their vectors are shifted as a block in a random
direction in which the training vectors vary, as the vectors of a language are
(`LANGUAGE_SHIFT`), and they keep all, a half, a quarter or a tenth of their entities, as in a
language with fewer names. On documents as they are, the encoder would seem too good to need a
second opinion. (The size of the shift itself was settled on labelled French and Swahili news: see
docs/results.md.)
"""

from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from isogloss.arrays import Doubles1d, Doubles2d, Floats2d, Ints1d
from isogloss.classify.documents.entity_batch import EntityBatch
from isogloss.classify.documents.entity_memory import Attention, EntityMemory
from isogloss.classify.heads.head import needed
from isogloss.classify.heads.vote import EntityVote, pair_weights
from isogloss.learn.linear_head import (
    C_WITHOUT_SEARCH,
    Fold,
    LinearHead,
    fit_with_search,
    folds_of,
    log_loss,
)
from isogloss.learn.objective import Objective, Targets, objective_of
from isogloss.learn.search import SEARCH, Search
from isogloss.limits import NotNegative

INITIAL_ATTENTION = (0.0, 0.0, 0.0)  # cosine, log commonness, log idf: equal weights
SHARES_OF_ENTITIES = (1.0, 0.5, 0.25, 0.1)
N_SHIFTS = 3  # random directions for each share
LANGUAGE_SHIFT = 0.5  # of the spread of the training vectors; languages lie 0.4 to 0.9 away
LARGEST_STRENGTH = 1.0  # entities never count for more than the encoder
SHARPNESSES_OF_FINE_TUNED = (0.25, 0.5, 0.75)  # such a classifier is overconfident
MIXTURE_WITHOUT_SEARCH = (0.0, 30.0)  # nothing shows that entities help: no weight


@dataclass(frozen=True)
class Mixture:
    """How much the entities count."""

    # λ: the weight of p_z when very many entities are linked; 0: they are of no use
    strength: NotNegative
    half_count: NotNegative  # κ: the number of entities at which they have half of that weight

    def weights(self, counts: Ints1d) -> Doubles1d:
        """Return λ K / (K + κ): float64 (n_documents,)."""
        return self.strength * counts / (counts + self.half_count)


@dataclass(frozen=True)
class MboePlusHead:
    """Two classifiers and their mixture."""

    linear: LinearHead  # p_h, the encoder-only classifier
    vote: EntityVote  # p_z, with log p(c)
    mixture: Mixture  # λ and κ

    @classmethod
    def fit(
        cls,
        vectors: Floats2d,
        batch: EntityBatch,
        y: Targets,
        n_classes: int,
        *,
        attention: Attention,
        seed: int,
        dev: tuple[Floats2d, EntityBatch, Targets] | None = None,
        encoder_only: LinearHead | None = None,
        search: Search = SEARCH,
    ) -> "MboePlusHead":
        """Fit on encoder vectors (n_documents, width), their entities and classes.

        Parameters
        ----------
        dev
            Other documents to choose by.
        encoder_only
            p_h where it is given: tuned together with the encoder. It is too sure of its training
            documents to choose by them; without `dev`, entities get no weight.
        """
        is_tuned = encoder_only is not None
        if encoder_only is None:
            judged_by = None if dev is None else (dev[0], dev[2])
            encoder_only = fit_with_search(
                vectors, y, n_classes, seed=seed, dev=judged_by, search=search
            )
        memory = EntityMemory.of(batch, attention=attention, initial_attention=INITIAL_ATTENTION)
        generator = np.random.default_rng(seed)
        training = _Copies.thin(vectors, batch, generator)
        if is_tuned:
            sharpnesses = (*SHARPNESSES_OF_FINE_TUNED, *search.sharpnesses)
            search = replace(search, sharpnesses=sharpnesses)
        chooser = _Chooser(memory, y, n_classes, encoder_only, search)
        folds = None if is_tuned else folds_of(y, seed=seed)
        if dev is not None:
            held_out = _Copies.thin(dev[0], dev[1], generator).shift(vectors, generator)
            C, mixture = chooser.choose(training, held_out, dev[2], None)
        elif folds is not None:
            held_out = training.shift(vectors, generator)
            C, mixture = chooser.choose(training, held_out, y, folds)
        else:
            C, mixture = C_WITHOUT_SEARCH, Mixture(*MIXTURE_WITHOUT_SEARCH)
        vote = chooser.fit_vote(training, np.arange(len(y)), C, with_attention=True)
        return cls(encoder_only, vote, mixture)

    @property
    def memory(self) -> EntityMemory:
        """What the vote knows of entities."""
        return self.vote.memory

    @property
    def uses_entities(self) -> bool:
        """Whether the mixture gives the vote any weight."""
        return self.mixture.strength > 0

    def with_linear(self, linear: LinearHead) -> "MboePlusHead":
        """Return the same head with another p_h."""
        return replace(self, linear=linear)

    def inputs(self, vectors: Floats2d, batch: EntityBatch | None) -> Floats2d:
        """Return what p_h reads: the vectors as they are."""
        return vectors

    def log_probabilities(self, vectors: Floats2d, batch: EntityBatch | None = None) -> Doubles2d:
        """Return log p(c | D): float64 (n_documents, n_classes)."""
        batch = needed(batch)
        alone = self.linear.log_probabilities(vectors)
        linked = np.flatnonzero(self.mixture.weights(batch.counts))
        if len(linked):
            evidence = self.vote.log_evidence(vectors[linked], batch.select(linked))
            weights = self.mixture.weights(batch.counts[linked])
            objective = self.linear.objective
            alone[linked] = _mix(objective, objective.scores(alone[linked]), evidence, weights)
        return alone

    def log_probabilities_without_each(self, vectors: Floats2d, batch: EntityBatch) -> Doubles2d:
        """Return log p(c | D) without the entity of each pair: float64 (n_pairs, n_classes)."""
        left = self.linear.log_probabilities(vectors)[batch.documents]
        weights = self.mixture.weights(batch.counts[batch.documents] - 1)
        linked = np.flatnonzero(weights)
        if len(linked):
            evidence = self.vote.log_evidence_without_each(vectors, batch)[linked]
            objective = self.linear.objective
            left[linked] = _mix(
                objective, objective.scores(left[linked]), evidence, weights[linked]
            )
        return left

    def entity_weights(self, vectors: Floats2d, batch: EntityBatch) -> Doubles1d:
        """Return a_e of each pair: float64 (n_pairs,)."""
        return pair_weights(self.memory, vectors, batch)


@dataclass(frozen=True)
class _Copies:
    """Documents with all, and with fewer and fewer, of their entities."""

    vectors: list[Floats2d]
    batches: list[EntityBatch]

    @classmethod
    def thin(
        cls, vectors: Floats2d, batch: EntityBatch, generator: np.random.Generator
    ) -> "_Copies":
        batches = [
            batch if share == 1.0 else batch.thin(share, generator) for share in SHARES_OF_ENTITIES
        ]
        return cls([vectors] * len(batches), batches)

    def shift(self, training: Floats2d, generator: np.random.Generator) -> "_Copies":
        """Shift each copy's vectors as a block, several times, and back to their length."""
        centred = training - training.mean(axis=0)
        spread = float(np.sqrt(training.var(axis=0).sum()))
        shifted = []
        for vectors in self.vectors * N_SHIFTS:
            direction = generator.standard_normal(len(centred)) @ centred
            # A floor, as constant vectors have no direction to vary in and stay where they are.
            step = LANGUAGE_SHIFT * spread * direction / max(np.linalg.norm(direction), 1e-12)
            away = vectors + step.astype(np.float32)
            length = np.linalg.norm(vectors, axis=1) / np.linalg.norm(away, axis=1)
            shifted.append(away * length[:, None].astype(np.float32))
        return _Copies(shifted, self.batches * N_SHIFTS)

    def select(self, rows: Ints1d) -> "_Copies":
        return _Copies(
            [vectors[rows] for vectors in self.vectors],
            [batch.select(rows) for batch in self.batches],
        )


@dataclass(frozen=True)
class _Chooser:
    """Chooses the vote's C, and the mixture, by the log-loss of held-out documents."""

    memory: EntityMemory
    y: Targets
    n_classes: int
    encoder_only: LinearHead
    search: Search

    def choose(
        self, training: _Copies, held_out: _Copies, gold: Targets, folds: list[Fold] | None
    ) -> tuple[float, Mixture]:
        """Return C and the mixture; `folds` None: `held_out` are other documents (dev)."""
        alone = self._alone(training, held_out, folds)
        counts = [batch.counts for batch in held_out.batches]
        candidates = []
        for C in self.search.C_values_of_vote:
            votes = self._votes(training, held_out, folds, C, with_attention=False)
            loss, _ = self._best_mixture(alone, votes, counts, gold)
            candidates.append((loss, C))
        _, best = min(candidates)
        votes = self._votes(training, held_out, folds, best, with_attention=True)
        return best, self._best_mixture(alone, votes, counts, gold)[1]

    def fit_vote(
        self, training: _Copies, rows: Ints1d, C: float, *, with_attention: bool
    ) -> EntityVote:
        """Fit p_z on the copies of some documents that have an entity."""
        copies = training.select(rows)
        parts = list(zip(copies.vectors, copies.batches, strict=True))
        vote = EntityVote.fit(self.memory, parts, self.y[rows], self.n_classes, C=C)
        if not with_attention:
            return vote
        return vote.learn_attention(parts, self.y[rows], n_steps=self.search.n_vote_steps)

    def _alone(
        self, training: _Copies, held_out: _Copies, folds: list[Fold] | None
    ) -> list[Doubles2d]:
        if folds is None:
            return [self.encoder_only.log_probabilities(side) for side in held_out.vectors]
        predicted = [np.empty((len(side), self.n_classes)) for side in held_out.vectors]
        for train, test in folds:
            head = LinearHead.fit(
                training.vectors[0][train], self.y[train], self.n_classes,
                C=self.encoder_only.C,
            )  # fmt: skip
            for side, vectors in zip(predicted, held_out.vectors, strict=True):
                side[test] = head.log_probabilities(vectors[test])
        return predicted

    def _votes(
        self,
        training: _Copies,
        held_out: _Copies,
        folds: list[Fold] | None,
        C: float,
        *,
        with_attention: bool,
    ) -> list[Doubles2d]:
        whole = np.arange(len(self.y))
        predicted = [np.empty((len(side), self.n_classes)) for side in held_out.vectors]
        for train, test in self._divisions(held_out, folds, whole):
            vote = self.fit_vote(training, train, C, with_attention=with_attention)
            tested = held_out.select(test)
            for side, vectors, batch in zip(predicted, tested.vectors, tested.batches, strict=True):
                side[test] = vote.log_evidence(vectors, batch)
        return predicted

    @staticmethod
    def _divisions(
        held_out: _Copies, folds: list[Fold] | None, whole: Ints1d
    ) -> list[tuple[Ints1d, Ints1d]]:
        if folds is None:
            return [(whole, np.arange(len(held_out.vectors[0])))]
        return [(fold.train, fold.test) for fold in folds]

    def _best_mixture(
        self, alone: list[Doubles2d], votes: list[Doubles2d], counts: list[Ints1d], gold: Targets
    ) -> tuple[float, Mixture]:
        """Try every λ, κ and sharpness of p_h.

        A head with a strong penalty is less sure than it could be; raising p_h to a power makes
        up for that here. At prediction the whole exponent is divided by it, so that p_h stays as
        it is and the mixture decides the same.
        """
        tried = self.search
        best, chosen = np.inf, Mixture(0.0, tried.half_counts[0])
        objective = objective_of(gold)
        scores = [objective.scores(own) for own in alone]
        for sharpness, strength, half in product(
            tried.sharpnesses, tried.strengths, tried.half_counts
        ):
            if strength > LARGEST_STRENGTH * sharpness:
                continue
            mixture = Mixture(strength, half)
            losses = [
                log_loss(_mix(objective, sharpness * own, vote, mixture.weights(count)), gold)
                for own, vote, count in zip(scores, votes, counts, strict=True)
            ]
            if np.mean(losses) < best - 1e-4:
                best = float(np.mean(losses))
                chosen = replace(mixture, strength=strength / sharpness)
        return best, chosen


def _mix(
    objective: Objective, scores: Doubles2d, evidence: Doubles2d, weights: Doubles1d
) -> Doubles2d:
    """Return log p(c | D) of the encoder's scores with the evidence of entities."""
    return objective.log_probabilities(scores + weights[:, None] * evidence)
