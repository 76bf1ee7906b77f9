"""Preset ``mboe-plus``: entities as a second opinion whose weight grows with what was linked.

    log p(c | D) = log p_h(c) + λ · K / (K + κ) · log p_z(c) + constant

p_h is the encoder-only classifier, unchanged; K is the number of linked entities. p_z classifies
z = Σ a_e (v_e − mean v), with a = softmax(W_aᵀ φ) over φ = [cos(h, v_e); log p_e; log idf_e]. With
nothing linked the answer is p_h's, to the bit.

Training documents hold many entities, documents of other languages often few. So p_z is fitted on
copies of the training documents with all, a half and a quarter of their entities, and λ and κ are
chosen over the same copies, by the log-loss of documents that neither part was fitted on.
"""

from dataclasses import dataclass, replace

import numpy as np
import torch
from scipy.special import log_softmax

from isogloss.arrays import Doubles1d, Doubles2d, Floats2d, Ints1d
from isogloss.classify.entity_batch import EntityBatch
from isogloss.classify.entity_memory import PRECISION, EntityMemory, pairs_of
from isogloss.classify.entity_pooling import Attention, EntityPairs
from isogloss.classify.joint_training import train_together
from isogloss.classify.linear_head import (
    C_VALUES,
    Fold,
    LinearHead,
    fit_with_search,
    folds_of,
    log_loss,
    out_of_fold,
)
