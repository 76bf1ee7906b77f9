"""Measure how fast a knowledge base opens and links, per CPU-second, beside another matcher.

    python benchmarks/link_speed.py --data DIR

Names: CLDR and the Open Multilingual Wordnet. Text: the Universal Declaration of Human Rights,
repeated until there are 20 MB. The other matcher is ahocorasick_rs: it gets the same folded names
and the lower-cased text, and knows neither word boundaries nor candidates.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from isogloss.data.lines import open_lines
from isogloss.kb import KnowledgeBase, build_knowledge_base
from isogloss.kb.link.linker import Linker
from isogloss.kb.matching.name_table import names_of

N_BYTES = 20_000_000
DECLARATIONS = {"en": "eng", "ja": "jpn", "ru": "rus", "fr": "fra"}


def main() -> None:
    """Print one line for opening, and one for each language and matcher."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the evaluation data")
    data = parser.parse_args().data
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kb"
        sources = ["cldr", f"names:{data / 'names' / 'omw.jsonl.gz'}"]
        report, seconds = measured(
            lambda: build_knowledge_base(sources, path, langs=list(DECLARATIONS))
        )
        print(f"build: {seconds:.1f} cpu-s, {report.n_names} names, {report.n_entities} entities")
        start = time.perf_counter()
        kb = KnowledgeBase.open(path)
        kb.entity_id(0)
        print(f"open: {1000 * (time.perf_counter() - start):.1f} ms")
        for lang, code in DECLARATIONS.items():
            measure_language(kb, lang, texts_of(data / "udhr" / f"{code}.txt.gz"))


def measure_language(kb: KnowledgeBase, lang: str, texts: list[str]) -> None:
    """Print the speed of linking, of bags, and of the other matcher."""
    n_megabytes = sum(len(text.encode()) for text in texts) / 1e6
    linker = Linker(kb, lang)
    linker.link(texts[:10])
    linked, seconds = measured(lambda: linker.link(texts))
    rate = n_megabytes / seconds
    print(f"{lang} isogloss: {rate:.1f} MB per cpu-s, {linked.n_mentions} mentions")
    _, seconds = measured(lambda: linker.bags(texts))
    print(f"{lang} isogloss, to bags: {n_megabytes / seconds:.1f} MB per cpu-s")
    other(lang, linker, texts, n_megabytes)


def texts_of(file: Path) -> list[str]:
    """Return the lines of a file, repeated."""
    lines = [line for _, line in open_lines(file) if line.strip()]
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
    names, _ = names_of(arrays["records"])
    kind = ahocorasick_rs.MatchKind.LeftmostLongest
    matcher, built = measured(lambda: ahocorasick_rs.AhoCorasick(names, matchkind=kind))
    lowered = [text.lower() for text in texts]
    _, seconds = measured(lambda: [matcher.find_matches_as_indexes(text) for text in lowered])
    print(
        f"{lang} ahocorasick_rs: {n_megabytes / seconds:.1f} MB per cpu-s, built in {built:.1f} s"
    )


if __name__ == "__main__":
    main()
