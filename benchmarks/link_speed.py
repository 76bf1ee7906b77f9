"""Measure how fast a knowledge base opens and links, per CPU-second, beside another matcher.

    python benchmarks/link_speed.py KB LANG=FILE [LANG=FILE ...]

FILE is UTF-8 text, one text a line, repeated until there are 20 MB. The other matcher is
ahocorasick_rs, when it is installed: it gets the same folded names and the lower-cased text, and
knows neither word boundaries nor candidates.
"""

import importlib.util
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

from isogloss.kb import KnowledgeBase
from isogloss.kb.linker import Linker

N_BYTES = 20_000_000


def main() -> None:
    """Print one line for opening, and one for each language and matcher."""
    path, pairs = Path(sys.argv[1]), sys.argv[2:]
    start = time.perf_counter()
    kb = KnowledgeBase.open(path)
    kb.entity_id(0)
    print(f"open: {1000 * (time.perf_counter() - start):.1f} ms, {kb.n_entities} entities")
    for pair in pairs:
        lang, _, file = pair.partition("=")
        texts = texts_of(Path(file))
        n_megabytes = sum(len(text.encode()) for text in texts) / 1e6
        linker = kb.linker(lang)
        linker.link(texts[:10])
        linked, seconds = measured(lambda linker=linker, texts=texts: linker.link(texts))
        rate = n_megabytes / seconds
        print(f"{lang} isogloss: {rate:.1f} MB per cpu-s, {linked.n_mentions} mentions")
        _, seconds = measured(lambda linker=linker, texts=texts: linker.bags(texts))
        print(f"{lang} isogloss, to bags: {n_megabytes / seconds:.1f} MB per cpu-s")
        if importlib.util.find_spec("ahocorasick_rs"):
            other(lang, linker, texts, n_megabytes)


def texts_of(file: Path) -> list[str]:
    """Return the lines of a file, repeated."""
    lines = [line for line in file.read_text("utf-8").splitlines() if line.strip()]
    size = sum(len(line.encode()) for line in lines)
    return lines * max(1, N_BYTES // size)


def measured(work: Callable[[], Any]) -> tuple[Any, float]:
    """Return the result and the CPU seconds of this process."""
    start = time.process_time()
    result = work()
    return result, time.process_time() - start


def other(lang: str, linker: Linker, texts: list[str], n_megabytes: float) -> None:
    """Measure ahocorasick_rs on the same names."""
    import ahocorasick_rs

    arrays = linker.knowledge_base.names_in(str(linker.knowledge_base.language_of(lang)))
    whole = arrays["units"].tobytes().decode("utf-32-le", "surrogatepass")
    bounds = arrays["unit_offsets"].tolist()
    names = [whole[a:b] for a, b in pairwise(bounds)]
    kind = ahocorasick_rs.MatchKind.LeftmostLongest
    matcher, built = measured(lambda: ahocorasick_rs.AhoCorasick(names, matchkind=kind))
    lowered = [text.lower() for text in texts]
    _, seconds = measured(lambda: [matcher.find_matches_as_indexes(text) for text in lowered])
    print(
        f"{lang} ahocorasick_rs: {n_megabytes / seconds:.1f} MB per cpu-s, built in {built:.1f} s"
    )


if __name__ == "__main__":
    main()
