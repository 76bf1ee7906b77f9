"""Trains SetFit on the texts of one JSON file and answers those of its tests; see few_labels.py.

Runs in an environment of its own, without isogloss. Texts get the encoder's prefix by hand, in
training and in prediction: SetFit itself would add it in prediction only. In bfloat16 the
forward pass of training is by autocast; weights stay in float32, as those of isogloss do.
"""

import json
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from sentence_transformers import SentenceTransformer
from setfit import SetFitModel, Trainer, TrainingArguments

PACKAGES = ("setfit", "sentence-transformers", "transformers", "torch")


def main() -> None:
    """Read what to do, do it, write the answers."""
    work, answers = Path(sys.argv[1]), Path(sys.argv[2])
    torch.set_num_threads(1)
    answers.write_text(json.dumps(answered(json.loads(work.read_text("utf-8")))), "utf-8")


def answered(work: dict[str, Any]) -> dict[str, Any]:
    """Train, predict, and count seconds and steps."""
    torch.manual_seed(work["seed"])
    body = SentenceTransformer(work["encoder"], device="cpu")
    body.default_prompt_name = None
    model = SetFitModel.from_pretrained(work["encoder"], device="cpu")
    model.model_body = body
    texts = [work["prefix"] + text for text in work["texts"]]
    arguments = TrainingArguments(
        output_dir=work["folder"], seed=work["seed"], max_steps=work["max_steps"],
        show_progress_bar=False, save_strategy="no", report_to="none",
    )  # fmt: skip
    data = Dataset.from_dict({"text": texts, "label": work["labels"]})
    trainer = Trainer(model=model, args=arguments, train_dataset=data)
    cpu, wall = time.process_time(), time.perf_counter()
    is_half = work["precision"] == "bfloat16"
    with torch.autocast("cpu", torch.bfloat16, enabled=is_half):
        trainer.train()
    trained = {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}
    predicted = model.predict([work["prefix"] + text for text in work["tests"]], batch_size=32)
    return {
        "predicted": [str(label) for label in predicted],
        "seconds": trained,
        "steps": int(trainer.st_trainer.state.global_step),
        "versions": {name: version(name) for name in PACKAGES},
    }


if __name__ == "__main__":
    main()
