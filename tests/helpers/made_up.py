"""Folders as probes write them, with made-up numbers: for the report, which reads no others."""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from isogloss.storage.sealed import sealed

VERDICTS = {
    ("not isotropic in any layer above the input", "smallest baseline cosine"): (0.11, 0.0),
    ("self-similarity above the baseline in every layer",
     "smallest adjusted self-similarity"): (0.16, 0.0),
    ("words more context-specific in upper layers",
     "adjusted self-similarity, layers 2 minus 1"): (-0.33, 0.0),
    ("a static vector explains less than 5 % of variance in every layer above the input",
     "largest adjusted MEV, uncentred"): (0.7, 0.05),
    ("a static vector explains less than 5 % of variance in every layer above the input",
     "largest adjusted MEV, centred"): (0.16, 0.05),
    ("a static vector explains less than 5 % of variance in every layer above the input",
     "largest adjusted MEV, as released"): (0.01, 0.05),
}  # fmt: skip
TRANSFORMS = ("none", "centring", "z-score", "whitening", "all-but-the-top")


def spread(name: str, value: float, half: float = 0.01) -> dict[str, float]:
    return {name: value, f"{name}_low": value - half, f"{name}_high": value + half}


def verdict_of(value: float, limit: float, *, is_above: bool) -> str:
    low, high = value - 0.01, value + 0.01
    if low > limit:
        return "holds" if is_above else "does not hold"
    if high < limit:
        return "does not hold" if is_above else "holds"
    return "undecided"


def claims(values: Sequence[float] | None = None) -> list[dict[str, Any]]:
    """Return the six rows of claims, with the verdict that their values have."""
    rows = []
    for at, ((claim, measured), (usual, limit)) in enumerate(VERDICTS.items()):
        value = usual if values is None else values[at]
        verdict = verdict_of(value, limit, is_above=at < 2)
        rows.append({"claim": claim, "verdict": verdict, "measured": measured,
                     **spread("value", value), "limit": limit})  # fmt: skip
    return rows


def geometry(
    lines: Sequence[tuple[str, str]] = (("tiny", "en"),), *, n_layers: int = 3, word: str = "fox",
    claim_values: Sequence[float] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Return a manifest of `probe geometry`; each line's numbers differ a little."""
    tables: dict[str, list[dict[str, Any]]] = {
        name: [] for name in ("layers", "isotropy", "transforms", "extremes", "claims")
    }
    for at, (encoder, lang) in enumerate(lines):
        line = {"encoder": encoder, "lang": lang}
        for layer in range(n_layers):
            place = line | {"layer": layer}
            depth = layer / max(n_layers - 1, 1)
            rise = 0.09 + 0.5 * depth**2 + 0.004 * at
            tables["layers"].append(place | {
                **spread("baseline", rise), **spread("self_similarity_adjusted", 0.8 - rise),
                **spread("intra_similarity_adjusted", 0.3 + 0.1 * math.sin(6 * depth)),
                **spread("mev_adjusted", 0.7 - rise), **spread("mev_centred_adjusted", 0.16 - 0.1
                * depth), **spread("mev_released_adjusted", 0.01),
                "norm": 7.0 - depth, "norm_deviation": 1.0,
            })  # fmt: skip
            tables["isotropy"].append(place | {
                **spread("baseline", rise), **spread("participation_ratio", 72.0 - 20 * depth, 3.0),
                **spread("isoscore", 0.2),
                "log10_partition": -2.0, "rogue_dimensions": [15 + at % 2, 3, 4],
                "shares_of_cosine": [0.5 - 0.2 * depth, 0.1, 0.05],
            })  # fmt: skip
            tables["transforms"] += [
                place | {"transform": kind, "baseline": rise / (1 + 40 * (kind != "none")),
                         "isoscore": 0.1 + 0.05 * number}
                for number, kind in enumerate(TRANSFORMS)
            ]  # fmt: skip
        tables["extremes"] += [
            line | {"context_specific": kind, "word": f"{word}{number}", "n": 6,
                    "self_similarity": 0.4 + 0.05 * number}
            for kind in ("most", "least") for number in range(3)
        ]  # fmt: skip
        tables["claims"] += [line | row for row in claims(claim_values)]
    return {
        "format": "isogloss geometry", "version": 3, "made_by": "isogloss 0.1.0",
        "options": {"min_contexts": 5, "max_words": 100, "seed": 0}, "notes": ["a word is a word"],
        **tables,
    }  # fmt: skip


def neutrality(
    encoders: Sequence[str] = ("tiny",), langs: Sequence[str] = ("en", "ja"), *, n_layers: int = 3,
    gain: float = 0.05,
) -> dict[str, Any]:  # fmt: skip
    """Return a manifest of `probe neutrality`."""
    layers, languages = [], []
    for encoder in encoders:
        for layer in range(n_layers):
            place = {"encoder": encoder, "layer": layer}
            depth = layer / max(n_layers - 1, 1)
            layers.append(place | {
                **spread("language_accuracy", 0.99 - 0.1 * depth),
                **spread("language_accuracy_centred", 0.4),
                **spread("language_accuracy_null", 0.3), "chance": 1 / len(langs),
                **spread("cka", 0.2 + 0.5 * depth), **spread("retrieval", 0.3 + 0.6 * depth),
                **spread("retrieval_centred", 0.3 + 0.6 * depth + gain),
                **spread("centring_gain", gain), **spread("retrieval_csls", 0.35 + 0.6 * depth),
                **spread("hubness", 3 - depth), **spread("hubness_centred", 2 - depth),
                **spread("hubness_csls", 1.0),
            })  # fmt: skip
            languages += [
                place | {
                    "lang": lang, **spread("shift", 0.5 + 0.02 * at + 0.3 * depth),
                    "dimensions_of_shift": [7, 8, 9], "shares_of_shift": [0.3, 0.1, 0.05],
                    **spread("language_accuracy", 0.9), **spread("language_accuracy_centred", 0.4),
                    **spread("language_accuracy_null", 0.3), **spread("cka", 0.4 + 0.01 * at),
                    **spread("retrieval_from", 0.6 - 0.01 * at),
                    **spread("retrieval_from_centred", 0.7),
                }
                for at, lang in enumerate(langs)
            ]  # fmt: skip
    return {
        "format": "isogloss neutrality", "version": 3, "made_by": "isogloss 0.1.0",
        "options": {"max_sentences": 2000, "seed": 0}, "notes": ["200 sentences"],
        "layers": layers, "languages": languages, "retrieval": [], "cka": [],
    }  # fmt: skip


def translation(
    pairs: Sequence[tuple[str, str]] = (("en", "de"),), encoders: Sequence[str] = ("tiny",), *,
    n_layers: int = 13, falls: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Return a manifest of `probe translation`; each pair's numbers differ a little."""
    layers, claims = [], []
    lines = [(encoder, *pair) for encoder in encoders for pair in pairs]
    for at, (encoder, lang, other) in enumerate(lines):
        line = {"encoder": encoder, "lang": lang, "other": other}
        for layer in range(n_layers):
            depth = layer / max(n_layers - 1, 1)
            found = 0.3 + 0.6 * depth - 0.01 * at
            layers.append(line | {
                "layer": layer, "n": 1000, "chance": 0.001, **spread("accuracy", found),
                **spread("accuracy_back", found - 0.02), **spread("without_offset", found / 2),
                **spread("cosine", found), **spread("csls", found + 0.01),
                **spread("in_half", found + 0.04), **spread("held_out", found + 0.03),
                **spread("optimism", 0.01),
            })  # fmt: skip
        claims += [
            line | {"claim": "over half are found in all layers but the bottom ones",
                    "verdict": "holds", "measured": "smallest accuracy, layers 4 to 12",
                    **spread("value", 0.6), "limit": 0.5},
            line | {"claim": "fewer are found in the last layers",
                    "verdict": "holds" if falls else "does not hold",
                    "measured": "accuracy, layer 12 minus 8",
                    **spread("value", -0.1 if falls else 0.1), "limit": 0.0},
        ]  # fmt: skip
    return {
        "format": "isogloss translation", "version": 1, "made_by": "isogloss 0.1.0",
        "options": {"max_pairs": 5000, "seed": 0}, "notes": ["1,000 sentences"],
        "layers": layers, "claims": claims, "searches": [],
    }  # fmt: skip


def folder(path: Path, manifest: Any) -> Path:
    """Write a manifest into a new folder."""
    path.mkdir(parents=True)
    document = sealed(manifest) if isinstance(manifest, dict) else manifest
    (path / "manifest.json").write_text(json.dumps(document), "utf-8")
    return path


def of_last_layer(encoder: str, layer: int) -> dict[str, Any]:
    """Return neutrality of an encoder whose pooler belongs to its last layer."""
    manifest = neutrality([encoder], n_layers=1)
    for row in (*manifest["layers"], *manifest["languages"]):
        row["layer"] = layer
    return manifest
