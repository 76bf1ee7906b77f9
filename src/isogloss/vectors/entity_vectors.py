"""A matrix of vectors with entity ids: read, written, looked up, or drawn at random.

Training of vectors and foreign formats are left to other files of this package. A vector of the
encoder's own for an entity's name is made by the classifier, which holds the encoder.
"""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from isogloss.arrays import Bools1d, Floats2d
from isogloss.errors import InputError, did_you_mean
from isogloss.storage.files import atomic_file, damage_in_one_sentence, parse_json
from isogloss.storage.tensor_file import map_sealed, tensor_metadata, write_sealed

FORMAT = "isogloss entity vectors 2"


class EntityVectors:
    """Vectors of entities.

    Parameters
    ----------
    ids
        Entity ids, unique, one for each row.
    matrix
        float32 (n_entities, width).

    Raises
    ------
    InputError
        When the numbers differ, an id comes twice, a value is not finite or there is none in a
        vector.

    Examples
    --------
    >>> vectors = EntityVectors(["Q64", "Q90"], np.eye(2, 3, dtype=np.float32))
    >>> found, known = vectors.lookup(["Q90", "Q1"])
    >>> found.tolist(), known.tolist()
    ([[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]], [True, False])
    """

    def __init__(self, ids: Sequence[str], matrix: Floats2d) -> None:
        self.ids = list(ids)
        self.matrix = np.ascontiguousarray(matrix, dtype=np.float32)
        if self.matrix.ndim != 2 or len(self.ids) != len(self.matrix):
            raise InputError(
                f"{len(self.ids)} entity ids do not fit a matrix of shape {self.matrix.shape}"
            )
        if not self.matrix.shape[1]:
            raise InputError("the vectors have no dimensions; 1 is the least width")
        self._row = {entity: row for row, entity in enumerate(self.ids)}
        if len(self._row) != len(self.ids):
            raise InputError("entity ids of vectors must be unique, and some come twice")
        if not np.isfinite(self.matrix).all():
            bad = self.ids[int(np.argmin(np.isfinite(self.matrix).all(axis=1)))]
            raise InputError(f"the vector of entity '{bad}' is not finite")

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return f"EntityVectors({len(self)} entities, width {self.width})"

    def __deepcopy__(self, memo: object) -> "EntityVectors":
        # Estimators are cloned by copying their parameters; the matrix is read-only and shared.
        return self

    @property
    def width(self) -> int:
        """Dimensions of a vector."""
        return int(self.matrix.shape[1])

    def __getitem__(self, entity: str) -> Floats2d:
        """Return the vector of one entity, or raise `InputError` with the closest id."""
        try:
            return self.matrix[self._row[entity]]
        except KeyError:
            raise InputError(
                f"no vector for entity '{entity}'; {did_you_mean(entity, self.ids)}"
            ) from None

    def lookup(self, ids: Sequence[str]) -> tuple[Floats2d, Bools1d]:
        """Return the vectors of `ids` (zeros where unknown) and which of them are known.

        Returns
        -------
        vectors
            float32 (len(ids), width).
        known
            bool (len(ids),).
        """
        rows = np.array([self._row.get(entity, -1) for entity in ids], dtype=np.int64)
        known = rows >= 0
        found = np.zeros((len(rows), self.width), dtype=np.float32)
        found[known] = self.matrix[rows[known]]
        return found, known

    def save(self, path: Path, *, overwrite: bool = False) -> None:
        """Write the vectors as a safetensors file with the ids in it."""
        blob = np.frombuffer(json.dumps(self.ids).encode(), dtype=np.uint8)
        with atomic_file(Path(path), overwrite=overwrite) as temporary:
            write_sealed(temporary, {"vectors": self.matrix, "ids": blob}, {"format": FORMAT})

    @classmethod
    def load(cls, path: Path) -> "EntityVectors":
        """Read a file that `save` wrote.

        Raises
        ------
        InputError
            When the file is missing, damaged or of another kind.
        """
        path = Path(path)
        if not path.is_file():
            raise InputError("no such file of entity vectors", path=path)
        metadata = tensor_metadata(path)
        if metadata is None:
            raise InputError(
                "is not a safetensors file; isogloss.vectors.read_vectors reads others", path=path
            )
        if metadata.get("format") != FORMAT:
            raise InputError(
                f"holds no entity vectors of isogloss ('{FORMAT}'); make it again", path=path
            )
        arrays, _ = map_sealed(path, advice="save the vectors again")
        with damage_in_one_sentence(path, advice="save the vectors again"):
            return cls(parse_json(arrays["ids"].tobytes()), np.array(arrays["vectors"]))

    def fingerprint(self) -> str:
        """Return a checksum over ids and values."""
        digest = hashlib.sha256(json.dumps(self.ids).encode())
        digest.update(self.matrix.tobytes())
        return digest.hexdigest()


def random_vectors(
    ids: Sequence[str], width: int, *, seed: int, root_mean_square: float
) -> Floats2d:
    """Draw a normal vector for each entity that depends on its id and the seed alone.

    An entity first met at prediction so gets the same vector in every process.

    Parameters
    ----------
    root_mean_square
        Standard deviation of each value; the encoder's own vectors of unit length have
        1 / sqrt(width).

    Returns
    -------
    float32 (len(ids), width)
    """
    drawn = np.empty((len(ids), width), dtype=np.float32)
    for row, entity in enumerate(ids):
        key = hashlib.blake2b(f"{seed}\n{entity}".encode(), digest_size=16).digest()
        generator = np.random.Generator(np.random.Philox(key=int.from_bytes(key, "little")))
        drawn[row] = generator.standard_normal(width, dtype=np.float32)
    return drawn * np.float32(root_mean_square)
