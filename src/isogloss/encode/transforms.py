"""Fitted transforms of vectors: centring, z-scores, whitening, all but the top directions.

Vectors of an encoder often share a large common part and few directions hold most of their
variance, so that cosines lie close together. Each transform here is fitted on vectors (of the
user's own texts, say), removes the common part and is affine: ``(x - mean) · matrix``.
"""

import dataclasses
import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from isogloss.arrays import Doubles1d, Doubles2d, Floats1d, Floats2d, Floats3d
from isogloss.encode.plan import Plan
from isogloss.encode.settings import EncoderSettings
from isogloss.errors import InputError
from isogloss.storage.files import (
    atomic_file,
    damage_in_one_sentence,
    parse_json,
    saved_number,
    saved_text,
)
from isogloss.storage.sealed import CHECKSUM, arrays_checksum

FORMAT, VERSION = "isogloss transform", "2"
KINDS = ("centring", "z-score", "whitening", "all-but-the-top")
N_ROWS_AT_ONCE = 16_384


@dataclasses.dataclass(frozen=True, eq=False)
class Transform:
    """A fitted transform of vectors.

    Attributes
    ----------
    kind
        ``"centring"``, ``"z-score"``, ``"whitening"`` or ``"all-but-the-top"``.
    mean
        Subtracted first; (width,).
    matrix
        Multiplied from the right: (width, width); (width,): each dimension by its own factor;
        None: nothing.
    n_vectors
        How many vectors it was fitted on.
    options
        Numbers it was fitted with, such as the shrinkage.
    encoder
        Fingerprint of the encoder whose vectors it takes; None until `Encoder.with_transform`.
    """

    kind: str
    mean: Floats1d
    matrix: npt.NDArray[np.float32] | None
    n_vectors: int
    options: dict[str, float] = dataclasses.field(default_factory=dict)
    encoder: str | None = None

    @property
    def width(self) -> int:
        """Dimension of the vectors it takes and gives."""
        return len(self.mean)

    @property
    def fingerprint(self) -> str:
        """SHA-256 over the kind and the numbers."""
        digest = hashlib.sha256(self.kind.encode())
        for array in self._arrays().values():
            digest.update(np.ascontiguousarray(array, "<f4").tobytes())
        return digest.hexdigest()

    def transform(self, vectors: npt.NDArray[np.floating[Any]]) -> npt.NDArray[np.float32]:
        """Return the transformed vectors, float32: (…, width) to (…, width).

        Raises
        ------
        InputError
            When the width is another.
        """
        if vectors.shape[-1:] != (self.width,):
            raise InputError(
                f"the transform takes vectors of {self.width} dimensions, these have the shape "
                f"{vectors.shape}"
            )
        mapped: npt.NDArray[np.float32] = vectors.astype(np.float32, copy=False) - self.mean
        if self.matrix is not None:
            mapped = mapped * self.matrix if self.matrix.ndim == 1 else mapped @ self.matrix
        return mapped

    def save(self, path: Path, *, overwrite: bool = False) -> None:
        """Write it as one safetensors file.

        Raises
        ------
        InputError
            When `path` exists without `overwrite`, or cannot be written.
        """
        from safetensors.numpy import save_file

        about = {
            "format": FORMAT,
            "version": VERSION,
            "kind": self.kind,
            "n_vectors": str(self.n_vectors),
            "options": json.dumps(self.options, sort_keys=True),
            "encoder": self.encoder or "",
        }
        about[CHECKSUM] = arrays_checksum(self._arrays(), about)
        with atomic_file(Path(path), overwrite=overwrite) as temporary:
            save_file(self._arrays(), temporary, metadata=about)

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read one that `save` wrote.

        Raises
        ------
        InputError
            When `path` is missing, damaged, or another file.
        """
        from safetensors import SafetensorError, safe_open

        try:
            with safe_open(path, framework="numpy") as file:
                about = file.metadata() or {}
                arrays = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118
        except (OSError, SafetensorError) as error:
            raise InputError(f"not a transform that can be read ({error})", path=path) from error
        if about.get("format") != FORMAT or about.get("version") != VERSION or "mean" not in arrays:
            raise InputError(
                f"not a transform of isogloss, version {VERSION}; fit the transform again",
                path=path,
            )
        if about.get(CHECKSUM) != arrays_checksum(arrays, about):
            raise InputError(
                "damaged: its content is not what was written; fit the transform again", path=path
            )
        with damage_in_one_sentence(Path(path), advice="fit the transform again"):
            _check_arrays(arrays)
            options: dict[str, Any] = parse_json(about["options"])
            return cls(
                saved_text(about, "kind", KINDS),
                arrays["mean"],
                arrays.get("matrix"),
                saved_number({"n_vectors": int(about["n_vectors"])}, "n_vectors"),
                {name: float(saved_number(options, name)) for name, _ in options.items()},
                about["encoder"] or None,
            )

    def __str__(self) -> str:
        options = "".join(f", {name} {value:.4g}" for name, value in self.options.items())
        return f"{self.kind}{options} (fitted on {self.n_vectors} vectors)"

    def _arrays(self) -> dict[str, npt.NDArray[np.float32]]:
        arrays: dict[str, npt.NDArray[np.float32]] = {"mean": self.mean}
        return arrays if self.matrix is None else arrays | {"matrix": self.matrix}


def _check_arrays(arrays: dict[str, npt.NDArray[Any]]) -> None:
    mean, matrix = arrays["mean"], arrays.get("matrix")
    fits = matrix is None or matrix.shape in (mean.shape, 2 * mean.shape)
    if mean.ndim != 1 or not fits or any(array.dtype != np.float32 for array in arrays.values()):
        raise ValueError("its arrays do not fit together")
    if not all(np.isfinite(array).all() for array in arrays.values()):
        raise ValueError("it holds numbers that are not finite")


def centring(vectors: Floats2d) -> Transform:
    """Fit the subtraction of the mean.

    Parameters
    ----------
    vectors
        (n_vectors, width), at least 2; may be memory-mapped, as for every transform here.

    Raises
    ------
    InputError
        For fewer than 2 vectors, another shape, or a value that is not finite.
    """
    return Transform("centring", _mean(vectors).astype(np.float32), None, len(vectors))


def z_score(vectors: Floats2d) -> Transform:
    """Fit the mean and deviation of each dimension; a constant dimension is centred only.

    Raises
    ------
    InputError
        As `centring`.
    """
    mean = _mean(vectors)
    squares = sum(((part - mean) ** 2).sum(0) for part in _parts(vectors))
    deviation = np.sqrt(squares / len(vectors))
    deviation[deviation < 1e-12 * max(1.0, float(deviation.max()))] = 1.0
    return Transform(
        "z-score", mean.astype(np.float32), (1 / deviation).astype(np.float32), len(vectors)
    )


def whitening(vectors: Floats2d, *, shrinkage: float | None = None) -> Transform:
    """Fit the map to covariance 1, in every direction (Su et al. 2021).

    It is the symmetric one of all such maps (ZCA), which moves vectors least; cosines are the same
    with any. The covariance is shrunk towards a multiple of the identity,
    ``(1 - s) S + s · tr(S) / width · I`` (Ledoit & Wolf 2004), so that few vectors do not blow up
    the directions in which they happen not to vary.

    Parameters
    ----------
    shrinkage
        s, 0 to 1; None: Ledoit and Wolf's estimate from the vectors.

    Raises
    ------
    InputError
        As `centring`; for a shrinkage out of range; and where the covariance has no inverse.
    """
    mean = _mean(vectors)
    covariance = _covariance(vectors, mean)
    if shrinkage is None:
        shrinkage = _ledoit_wolf(vectors, mean, covariance)
    if not 0 <= shrinkage <= 1:
        raise InputError(f"a shrinkage of {shrinkage} is not from 0 to 1")
    width = len(mean)
    target = np.trace(covariance) / width
    covariance = (1 - shrinkage) * covariance + shrinkage * target * np.eye(width)
    values, directions = np.linalg.eigh(covariance)
    if values[0] <= 1e-10 * values[-1]:
        raise InputError(
            f"{len(vectors)} vectors do not vary in all {width} dimensions, so they cannot be "
            "whitened without shrinkage; leave it to be estimated, or give more vectors"
        )
    matrix = (directions / np.sqrt(values)) @ directions.T
    return Transform(
        "whitening", mean.astype(np.float32), matrix.astype(np.float32), len(vectors),
        {"shrinkage": float(shrinkage)},
    )  # fmt: skip


def all_but_the_top(vectors: Floats2d, *, n_removed: int | None = None) -> Transform:
    """Fit the mean and the directions of most variance, all of which are taken away.

    Mu and Viswanath 2018, "All-but-the-Top".

    Parameters
    ----------
    n_removed
        How many directions; None: a hundredth of the width, as in the paper, at least 1.

    Raises
    ------
    InputError
        As `centring`, and for a number that leaves nothing.
    """
    mean = _mean(vectors)
    width = len(mean)
    n_removed = max(1, round(width / 100)) if n_removed is None else n_removed
    if not 0 < n_removed < width:
        raise InputError(
            f"{n_removed} directions of {width} cannot be removed; give 1 or more, and fewer than "
            "there are"
        )
    directions = np.linalg.eigh(_covariance(vectors, mean))[1][:, -n_removed:]
    matrix = np.eye(width) - directions @ directions.T
    return Transform(
        "all-but-the-top", mean.astype(np.float32), matrix.astype(np.float32), len(vectors),
        {"n_removed": n_removed},
    )  # fmt: skip


FITS: dict[str, Callable[..., Transform]] = {
    "centring": centring, "z-score": z_score, "whitening": whitening,
    "all-but-the-top": all_but_the_top,
}  # fmt: skip


def plan_before(
    transform: Transform | None, plan: Plan, settings: EncoderSettings, *, n_layers: int
) -> Plan:
    """Return the plan of the vectors that the transform takes: `plan` itself without one.

    Raises
    ------
    InputError
        For layers or a pooling that the transform was not fitted for.
    """
    if transform is None:
        return plan
    is_own = plan.layers == [n_layers] and plan.pooling == settings.pooling.value
    if not is_own or plan.tokens != "all":
        raise InputError(
            f"the transform was fitted for the last layer, {n_layers}, and the pooling "
            f"'{settings.pooling.value}' only; for others use with_transform(None)"
        )
    return dataclasses.replace(plan, normalize=settings.normalize.value)


def transformed(vectors: Floats3d, transform: Transform | None, *, normalize: bool) -> Floats3d:
    """Return vectors after a transform, then of unit length if asked; without one as they are."""
    if transform is None:
        return vectors
    mapped: Floats3d = transform.transform(vectors)
    if normalize:
        to_unit_length(mapped)
    return mapped


def to_unit_length(vectors: Floats3d) -> None:
    """Give vectors of length above 0 unit length, in place: (n_layers, n_texts, width)."""
    for rows in vectors:  # a copy of one layer at a time
        rows /= np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), 1e-12)


def _parts(vectors: Floats2d) -> Iterator[Doubles2d]:
    for start in range(0, len(vectors), N_ROWS_AT_ONCE):
        yield np.asarray(vectors[start : start + N_ROWS_AT_ONCE], np.float64)


def _mean(vectors: Floats2d) -> Doubles1d:
    if vectors.ndim != 2 or len(vectors) < 2:
        raise InputError(
            f"a transform is fitted on a matrix of 2 vectors or more, not on the shape "
            f"{vectors.shape}"
        )
    total = np.zeros(vectors.shape[1])
    for part in _parts(vectors):
        total += part.sum(0)
    if not np.isfinite(total).all():
        raise InputError("a transform cannot be fitted on vectors that are not finite")
    return np.asarray(total / len(vectors))


def _covariance(vectors: Floats2d, mean: Doubles1d) -> Doubles2d:
    total = np.zeros((len(mean), len(mean)))
    for part in _parts(vectors):
        centred = part - mean
        total += centred.T @ centred
    return np.asarray(total / len(vectors))


def _ledoit_wolf(vectors: Floats2d, mean: Doubles1d, covariance: Doubles2d) -> float:
    """Return the shrinkage of Ledoit and Wolf 2004, lemma 3.4 (b², d² there)."""
    width = len(mean)
    target = np.trace(covariance) / width
    distance = ((covariance - target * np.eye(width)) ** 2).sum()
    if distance == 0:
        return 1.0
    fourth = sum(
        float((((part - mean) ** 2).sum(1) ** 2).sum()) for part in _parts(vectors)
    )  # Σ ‖x xᵀ‖²
    error = (fourth / len(vectors) - (covariance**2).sum()) / len(vectors)
    return float(min(max(error, 0.0), distance) / distance)
