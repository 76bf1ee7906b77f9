"""The values that hyper-parameters are chosen among: those of the classifier's own `search`."""

from dataclasses import replace

import pytest
from planted import FakeEncoder, english

from isogloss import TextClassifier
from isogloss.kb import KnowledgeBase
from isogloss.learn.search import Search

ONE = Search(
    C_values=(0.03,), n_repeats=2, C_values_of_vote=(0.02,), strengths=(0.7,), half_counts=(4.0,),
    sharpnesses=(2.0,), n_joint_steps=3, n_vote_steps=2,
)  # fmt: skip


@pytest.mark.parametrize("preset", ["mboe", "mboe-plus"])
def test_a_fit_takes_the_values_of_its_search(
    preset: str, kb: KnowledgeBase, encoder: FakeEncoder
) -> None:
    model = TextClassifier(encoder, kb, preset=preset)
    model.search = ONE
    head = model.fit(*english(), lang="en").head_
    assert head.linear.C == 0.03
    assert head.linear.describe() == "C = 0.03 (cross-validation, 5 folds, 2 times)"
    if preset == "mboe-plus":
        assert head.vote.linear.C == 0.02
        assert (head.mixture.strength, head.mixture.half_count) == (0.35, 4.0)  # 0.7 / sharpness


def test_more_steps_train_further(kb: KnowledgeBase, encoder: FakeEncoder) -> None:
    """Of h + z as a whole, and of the attention of the vote."""
    for preset, steps in (("mboe", "n_joint_steps"), ("mboe-plus", "n_vote_steps")):
        attention = []
        for n in (1, 8):
            model = TextClassifier(encoder, kb, preset=preset)
            model.search = replace(ONE, **{steps: n})
            head = model.fit(*english(), lang="en").head_
            attention.append(head.memory.attention_weight.tolist())
        assert attention[0] != attention[1]
