"""Words a CPU second: vectors of words in a middle layer, with and without the layers above it.

The first sentences of English-EWT dev, on one thread. "With" is how transformers gives the states
of a middle layer: all layers are computed, and one is kept. Both rows are run in turn, and their
vectors are compared.

    python benchmarks/words_speed.py --data DIR [--n-sentences 500] [--layer 8] [--repetitions 2]
"""

import argparse
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

import numpy as np
import torch

from isogloss.data.column_files import read_column_file
from isogloss.encode import Encoder
from isogloss.encode.words.tokens_of_words import SpannedText
from isogloss.encode.words.word_vectors import encode_words, network_of


def main() -> None:
    """Measure, and print a Markdown table."""
    options = _options()
    torch.set_num_threads(1)
    path = options.data / "ud" / "en_ewt-ud-dev.conllu.gz"
    read = read_column_file(path, column="upos").sentences[: options.n_sentences]
    sentences = [SpannedText.joined(sentence.words) for sentence in read]
    n_words = sum(len(sentence.words) for sentence in read)
    encoder = Encoder.load("bundled", device="cpu", threads=1)
    encode_words(encoder, sentences[:20], layers=[options.layer])
    seconds: dict[bool, list[float]] = {False: [], True: []}
    vectors = {}
    for _ in range(options.repetitions):
        for is_whole in (False, True):
            start = time.process_time()
            with _run_as_a_whole(encoder, is_whole=is_whole):
                vectors[is_whole] = encode_words(encoder, sentences, layers=[options.layer]).vectors
            seconds[is_whole].append(time.process_time() - start)
    same = "equal" if np.array_equal(vectors[False], vectors[True]) else "NOT equal"
    print(f"{len(sentences)} sentences, {n_words:,} words, layer {options.layer}; vectors {same}\n")
    print("| layers computed | CPU seconds | words a CPU second |\n| --- | ---: | ---: |")
    for is_whole, name in ((False, f"to {options.layer}"), (True, f"all {encoder.n_layers}")):
        middle = median(seconds[is_whole])
        print(f"| {name} | {middle:.2f} | {n_words / middle:,.0f} |")


@contextmanager
def _run_as_a_whole(encoder: Encoder, *, is_whole: bool) -> Iterator[None]:
    """Inside the block, let the model run to its last layer where `is_whole`."""
    layered = network_of(encoder)._layered
    blocks, layered.blocks = layered.blocks, None if is_whole else layered.blocks
    try:
        yield
    finally:
        layered.blocks = blocks


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder that holds ud/")
    parser.add_argument("--n-sentences", type=int, default=500)
    parser.add_argument("--layer", type=int, default=8)
    parser.add_argument("--repetitions", type=int, default=2)
    return parser.parse_args()


if __name__ == "__main__":
    main()
