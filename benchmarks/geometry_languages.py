"""Does the geometry of an encoder's layers depend on the language? docs/results-geometry.md.

    python benchmarks/geometry_languages.py --data DIR --out DIR

`probe geometry` of the bundled encoder in 28 languages, on SIB-200 dev (99 sentences) and on the
Universal Declaration of Human Rights (about 90 lines); both say the same in each language. All
layers, words; the same number of random words in each language. Each measurement is kept.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import rankdata

from evaluation_data import SIB_LANGUAGES, find
from isogloss import Encoder
from isogloss.data.documents import FileFormat, read_documents
from isogloss.encode.words.tokens_of_words import TokenUnits, WordUnits
from isogloss.probe import GeometryOptions, GeometryResult, measure_geometry
from isogloss.report.table import Table
from isogloss.statistics.intervals import interval_of_draws
from isogloss.text.languages import parse_language
from records import Record, add_json
from transform_tasks import lines_of

ALL_CODES = ("eng_Latn", *sorted(SIB_LANGUAGES))
OTHER_NAMES = {"zho_Hans": "cmn"}  # of the Declaration's files; the rest are the code's first part
TEXTS = ("SIB-200", "UDHR")
OPTIONS = GeometryOptions(n_random=1000, max_contexts=8)  # few, as MEV is not shown
N_RESAMPLES = 2000
SHOWN_LAYERS = (1, 9, 12)  # of the table by language

Found = dict[tuple[str, str], dict[str, Any]]  # text and code → what `to_json` gave


def sentences(data: Path, text: str, code: str) -> list[str]:
    """Return the sentences of a language."""
    if text == "UDHR":
        name = OTHER_NAMES.get(code, code.partition("_")[0])
        return [line for line in lines_of(data / "udhr" / f"{name}.txt.gz") if line]
    path = find(data / "sib200" / code / "dev.tsv")
    return read_documents(path, format=FileFormat(quoting="csv"), needs_label=True).texts


def measure(data: Path, out: Path, threads: int | None) -> Found:
    """Measure what is not kept yet."""
    found: Found = {}
    encoder: Encoder | None = None
    for text in TEXTS:
        for code in ALL_CODES:
            file = out / f"{text}-{code}.json"
            if not file.exists():
                encoder = encoder or Encoder.load("bundled", threads=threads, pooling="mean")
                some = sentences(data, text, code)
                measured = measure_geometry(encoder, some, lang=code, options=OPTIONS)
                result = GeometryResult([measured], options=OPTIONS).to_json()
                result["words"] = len(measured.words.words)
                result["tokens a word"] = tokens_a_word(encoder, some, code)
                file.with_suffix(".part").write_text(json.dumps(result), "utf-8")
                file.with_suffix(".part").replace(file)
            found[text, code] = json.loads(file.read_text("utf-8"))
    return found


def tokens_a_word(encoder: Encoder, texts: list[str], code: str) -> float:
    """Return the encoder's tokens with a letter or digit, a word."""
    words, tokens = WordUnits(code.partition("_")[0]), TokenUnits(encoder.tokenizer)
    n_tokens = sum(len(tokens.names(text)) for text in texts)
    return n_tokens / sum(len(words.names(text)) for text in texts)


def column(found: Found, text: str, layer: int, name: str) -> np.ndarray:
    """Return a figure of a layer in each language."""
    return np.array([found[text, code]["layers"][layer][name] for code in ALL_CODES])


def by_language(found: Found) -> Table:
    """Show baselines and self-similarity of each language, with intervals."""
    rows = []
    for code in ALL_CODES:
        sib, udhr = found["SIB-200", code], found["UDHR", code]
        row: dict[str, Any] = {"lang": code, "words": sib["words"],
                               "tokens a word": round(sib["tokens a word"], 2)}  # fmt: skip
        for layer in SHOWN_LAYERS:
            row |= _ends(f"baseline {layer}", sib["layers"][layer], "baseline")
        row |= _ends("UDHR, baseline 12", udhr["layers"][12], "baseline")
        row |= _ends("SelfSim 12", sib["layers"][12], "self_similarity_adjusted")
        row["IsoScore 12"] = sib["isotropy"][12]["isoscore"]
        rows.append(row)
    return Table(rows, caption="SIB-200 dev, words; baseline and adjusted self-similarity.")


def by_layer(found: Found, accuracy: Mapping[str, float]) -> Table:
    """Show for each layer how far languages differ, and what goes with it.

    Parameters
    ----------
    accuracy
        Language to zero-shot accuracy on SIB-200; may be empty.
    """
    rows = []
    known = [at for at, code in enumerate(ALL_CODES) if parse_language(code) in accuracy]
    right = np.array([accuracy[parse_language(ALL_CODES[at])] for at in known])
    for layer in range(len(found["SIB-200", "eng_Latn"]["layers"])):
        own = column(found, "SIB-200", layer, "baseline")
        low, high = (column(found, "SIB-200", layer, f"baseline_{end}") for end in ("low", "high"))
        n_tokens = np.array([found["SIB-200", code]["tokens a word"] for code in ALL_CODES])
        rows.append(
            {"layer": layer, "mean": own.mean(), "least": _named(own.argmin(), own),
             "greatest": _named(own.argmax(), own), "sd of languages": own.std(ddof=1),
             "half an interval": float((high - low).mean() / 2),
             **_correlation("both texts", own, column(found, "UDHR", layer, "baseline")),
             **_correlation("tokens a word", own, n_tokens),
             **(_correlation("SIB accuracy", own[known], right) if known else {})}
        )  # fmt: skip
    return Table(rows, caption="Baseline on SIB-200; rank correlations over languages.")


def rogue(found: Found) -> Table:
    """Show which dimension holds the largest part of the baseline, and in how many languages."""
    rows = []
    for layer in range(len(found["SIB-200", "eng_Latn"]["layers"])):
        row: dict[str, Any] = {"layer": layer}
        for text in TEXTS:
            tops = {code: found[text, code]["isotropy"][layer] for code in ALL_CODES}
            first = Counter(one["rogue_dimensions"][0] for one in tops.values())
            some = Counter(at for one in tops.values() for at in one["rogue_dimensions"])
            dimension, n = first.most_common(1)[0]
            is_it = {code: one["rogue_dimensions"][0] == dimension for code, one in tops.items()}
            shares = [one["shares_of_cosine"][0] for code, one in tops.items() if is_it[code]]
            row |= {
                f"{text}: largest": f"{dimension} in {n}",
                f"{text}: share": f"{min(shares):.2f} to {max(shares):.2f}",
                f"{text}: among three": ", ".join(f"{at} ({m})" for at, m in some.most_common(4)),
            }
        rows.append(row)
    return Table(rows)


def transforms(found: Found) -> Table:
    """Show the mean over languages of baseline and IsoScore behind each transform, last layer."""
    rows = []
    names = [one["transform"] for one in found["UDHR", "eng_Latn"]["transforms"]]
    for name in dict.fromkeys(names):
        row: dict[str, Any] = {"transform": name}
        for key in ("baseline", "isoscore"):
            values = [
                one[key] for code in ALL_CODES
                for one in found["SIB-200", code]["transforms"]
                if (one["layer"], one["transform"]) == (12, name)
            ]  # fmt: skip
            row |= {key: np.mean(values), f"{key}, least": min(values)}
            row |= {f"{key}, greatest": max(values)}
        rows.append(row)
    return Table(rows, caption="Last layer: mean over languages, least and greatest.")


def _ends(name: str, row: dict[str, Any], key: str) -> dict[str, float]:
    return {f"{name}{end}": row[f"{key}{end}"] for end in ("", "_low", "_high")}


def _named(at: np.integer[Any], values: Iterable[float]) -> str:
    return f"{list(values)[at]:.3f} ({ALL_CODES[int(at)][:3]})"


def _correlation(name: str, a: np.ndarray, b: np.ndarray) -> dict[str, float]:
    """Return Spearman's rank correlation of (n,) values, with its interval over the rows."""
    drawn = np.random.default_rng(0).integers(len(a), size=(N_RESAMPLES, len(a)))
    whole = np.arange(len(a))[None]
    found = interval_of_draws(
        float(_rank_correlations(a[whole], b[whole])[0]), _rank_correlations(a[drawn], b[drawn])
    )
    return {name: found.value, f"{name}_low": found.low, f"{name}_high": found.high}


def _rank_correlations(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    one, other = (rankdata(values, axis=1) - (values.shape[1] + 1) / 2 for values in (a, b))
    return np.asarray((one * other).sum(1) / np.sqrt((one**2).sum(1) * (other**2).sum(1)))


def main() -> None:
    """Measure and show the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="see docs/results.md")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/out/geometry_languages"))
    parser.add_argument("--accuracy", type=Path, help="OUT/SIB-200-none.json of transform_tasks.py")
    parser.add_argument("--threads", type=int)
    add_json(parser)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    found = measure(options.data, options.out, options.threads)
    right = {} if options.accuracy is None else json.loads(options.accuracy.read_text("utf-8"))
    accuracy = {lang: float(np.mean(rows)) for lang, rows in right.items()}
    record = Record(options.json)
    record.show("layers", by_layer(found, accuracy))
    record.show("languages", by_language(found))
    record.show("rogue dimensions", rogue(found))
    record.show("transforms", transforms(found))
    record.write()


if __name__ == "__main__":
    main()
