"""Read a knowledge base while it is replaced, and see that no answer mixes the old and the new.

    python tests/damage/swaps.py --readers 500 --swaps 200

Two knowledge bases of equal sizes, with the same names for entities of other ids, take the place of
each other; the swaps go on until all readers are done. A reader opens the knowledge base, links a
text in one language, waits, and links one in another language with what it has opened.
"""

import argparse
import json
import multiprocessing
import random
import shutil
import sys
import tempfile
import time
import traceback
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from isogloss.errors import InputError
from isogloss.kb import KnowledgeBase, Linker, build_knowledge_base
from isogloss.storage.files import atomic_directory

ALPHA, GAMMA = {"en": ["Alpha"], "de": ["Alfax"]}, {"en": ["Gamma"], "de": ["Gamax"]}
KINDS = {"old": {"x:1": ALPHA, "x:2": GAMMA}, "new": {"y:1": GAMMA, "y:2": ALPHA}}
RIGHT = {"x:1 x:1 Alpha", "y:2 y:2 Alpha"}
N_PROCESSES = 4
LONGEST_WAIT = 0.05


def read_once(path: Path, seed: int) -> tuple[str, str]:
    """Be one reader; return what came of it, and what it had or was told.

    What came of it: ``whole``, ``whole across a swap``, ``mixed``, ``refused`` or ``traceback``.
    """
    try:
        before = path.stat().st_ino
        kb = KnowledgeBase.open(path)
        english = _entity(kb, "en", "Alpha")
        time.sleep(random.Random(seed).uniform(0, LONGEST_WAIT))
        german = _entity(kb, "de", "Alfax")
        is_across = path.stat().st_ino != before
        answer = f"{english} {german} {kb.title(kb.index_of(german), 'en')}"
    except InputError as error:
        return "refused", str(error)
    except Exception:  # noqa: BLE001  # what nothing foresaw is what is looked for
        return "traceback", traceback.format_exc()
    whole = "whole across a swap" if is_across else "whole"
    return (whole if answer in RIGHT else "mixed"), answer


def _entity(kb: KnowledgeBase, lang: str, text: str) -> str:
    [mention] = Linker(kb, lang).link([text]).mentions(0)
    [candidate] = mention.candidates
    return candidate.entity


def run(folder: Path, *, n_readers: int, n_swaps: int) -> tuple[Counter[str], list[str], int]:
    """Return the numbers of outcomes, what was said of those that are not whole, and the swaps."""
    for name, entities in KINDS.items():
        names = folder / f"{name}.jsonl"
        records = [{"id": entity, "names": said} for entity, said in entities.items()]
        names.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
        build_knowledge_base([f"names:{names}"], folder / name)
    path = folder / "kb"
    shutil.copytree(folder / "old", path)
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(N_PROCESSES, mp_context=context) as pool:
        list(pool.map(read_once, [path] * N_PROCESSES, range(N_PROCESSES)))  # compile, then begin
        readers = [pool.submit(read_once, path, seed) for seed in range(n_readers)]
        n_done = 0
        while n_done < n_swaps or not all(reader.done() for reader in readers):
            with atomic_directory(path, overwrite=True) as made:
                shutil.copytree(folder / ("old" if n_done % 2 else "new"), made, dirs_exist_ok=True)
            n_done += 1
        outcomes = [reader.result() for reader in readers]
    others = [f"{kind}: {said}" for kind, said in outcomes if "whole" not in kind]
    return Counter(kind for kind, _ in outcomes), others, n_done


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--readers", type=int, default=500)
    parser.add_argument("--swaps", type=int, default=200)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found, said, n_swaps = run(Path(folder), n_readers=given.readers, n_swaps=given.swaps)
    sys.stdout.write("\n".join([*said[:20], f"{n_swaps} swaps: {dict(found)}"]) + "\n")


if __name__ == "__main__":
    main()
