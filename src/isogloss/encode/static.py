"""Static encoders: a table of token vectors; a text's vector is their mean. `loading` reads one.

Reads the directories of model2vec (Tulkens & van Dongen 2024; ``config.json``,
``model.safetensors`` with ``embeddings`` and, where there are any, ``weights`` and ``mapping``) and
of sentence-transformers' StaticEmbedding (``embedding.weight``). No special tokens, no torch.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from isogloss.arrays import Floats1d, Floats3d
from isogloss.encode.batches import PaddedBatch
from isogloss.encode.foreign import CONFIG, REPAIR, inner_folder, library_faults, read_file
from isogloss.encode.plan import Plan
from isogloss.encode.settings import (
    WITHOUT_LIMIT,
    EncoderSettings,
    Setting,
    read_modules,
    with_given,
)
from isogloss.encode.tokenizer import TextTokenizer, load_tokenizer
from isogloss.encode.weights.files import check_weights
from isogloss.errors import InputError
from isogloss.storage.files import damage_in_one_sentence, saved_number

MODEL2VEC_MAX_LENGTH = 512  # the default of its `encode`, where its files name none


@dataclass(frozen=True)
class StaticFiles:
    """Where a static encoder's files are, and what they say.

    Attributes
    ----------
    folder
        Holds ``model.safetensors`` and ``tokenizer.json``.
    is_model2vec
        Whether model2vec wrote them: it drops the unknown token and cuts texts.
    """

    folder: Path
    is_model2vec: bool
    normalize: Setting[bool]
    max_length: Setting[int]

    def settings(self, given: dict[str, Any]) -> EncoderSettings:
        """Return the settings; what is given comes first.

        Raises
        ------
        InputError
            For another pooling than mean, or an option out of range.
        """
        if given.get("pooling") not in (None, "mean"):
            raise InputError(
                f"a static encoder has no pooling '{given['pooling']}'; it has mean only"
            )
        chosen: dict[str, Setting[Any]] = {
            "pooling": Setting("mean", "a table of vectors has no other"),
            "prefix": Setting("", "a table of vectors has none"),
            "normalize": self.normalize,
            "max_length": self.max_length,
        }
        return with_given(chosen, given, limit=None)

    def tokenizer(self, settings: EncoderSettings, *, is_parallel: bool) -> TextTokenizer:
        """Return the tokenizer, without special tokens."""
        backend = load_tokenizer(self.folder)
        dropped = None
        if self.is_model2vec:
            unknown = json.loads(backend.to_str())["model"].get("unk_token")
            dropped = backend.token_to_id(unknown) if unknown else None
        return TextTokenizer(
            backend,
            prefix=settings.prefix.value,
            max_length=settings.max_length.value,
            is_parallel=is_parallel,
            has_specials=False,
            dropped=dropped,
        )

    def network(self) -> "StaticNetwork":
        """Read the table.

        Raises
        ------
        InputError
            When it is missing, damaged, or its parts do not fit each other.
        """
        from safetensors import safe_open

        check_weights(self.folder)
        path = self.folder / "model.safetensors"
        name = "embeddings" if self.is_model2vec else "embedding.weight"
        with (
            library_faults(path, "not a table of vectors that can be read"),
            safe_open(path, framework="numpy") as file,
        ):
            tensors = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118
        if name not in tensors or tensors[name].ndim != 2 or not tensors[name].size:
            raise InputError(f"holds no matrix '{name}' of a static encoder", path=path)
        mapping, weights = tensors.get("mapping"), tensors.get("weights")
        for part, kinds in ((mapping, "iu"), (weights, "f")):
            if part is not None and (part.ndim != 1 or part.dtype.kind not in kinds):
                raise InputError(f"its 'mapping' or 'weights' is no list; {REPAIR}", path=path)
        if mapping is not None and not mapping.size:
            raise InputError(f"its 'mapping' is empty; {REPAIR}", path=path)
        if mapping is not None and not 0 <= mapping.min() <= mapping.max() < len(tensors[name]):
            raise InputError("its 'mapping' names rows that 'embeddings' has not", path=path)
        if mapping is not None and weights is not None and len(mapping) != len(weights):
            raise InputError("its 'mapping' and 'weights' differ in length", path=path)
        return StaticNetwork(tensors[name], weights=weights, mapping=mapping)


class StaticNetwork:
    """A table of vectors with the face of a `Network`: no layer, no pooler, on the processor.

    Parameters
    ----------
    table
        (n_rows, width); any number type.
    weights
        Factor of each token, or None: 1.
    mapping
        Row of each token, or None: its own id.
    """

    n_layers = 0
    dense = ()
    has_pooler = False
    device = "cpu"
    pad_id = 0

    def __init__(
        self,
        table: npt.NDArray[Any],
        *,
        weights: npt.NDArray[Any] | None = None,
        mapping: npt.NDArray[Any] | None = None,
    ) -> None:
        self.table = table
        self.weights: Floats1d | None = None if weights is None else weights.astype(np.float32)
        self.mapping = mapping

    @property
    def hidden_size(self) -> int:
        """Dimension of the vectors."""
        return int(self.table.shape[1])

    width = hidden_size

    @property
    def n_rows(self) -> int:
        """How many ids there may be."""
        return min(len(part) for part in self._by_piece())

    def pool(self, batch: PaddedBatch, plan: Plan) -> Floats3d:
        """Return the vectors of a batch before normalisation: (1, n_texts, width), float32."""
        if plan.pooling != "mean":
            raise InputError(f"a static encoder has no pooling '{plan.pooling}'; it has mean only")
        rows = batch.ids if self.mapping is None else self.mapping[batch.ids]
        mask = batch.mask if batch.own is None else batch.own
        factors = (mask / np.maximum(mask.sum(1, keepdims=True), 1)).astype(np.float32)
        if self.weights is not None:
            factors *= self.weights[batch.ids]
        states = self.table[rows].astype(np.float32, copy=False)  # (n_texts, longest, width)
        return np.matmul(factors[:, None, :], states)[None, :, 0]

    def _by_piece(self) -> list[npt.NDArray[Any]]:
        parts = [part for part in (self.mapping, self.weights) if part is not None]
        return parts if self.mapping is not None else [*parts, self.table]


def find_static(directory: Path) -> StaticFiles | None:
    """Return the files of a static encoder, or None when the directory holds another.

    Raises
    ------
    InputError
        For a module after the table that cannot be applied.
    """
    modules = directory / "modules.json"
    kinds: list[str] = []
    folder = directory
    if modules.is_file():
        entries = read_modules(modules)
        kinds = [entry.kind for entry in entries]
        if entries:
            folder = inner_folder(directory, entries[0].path, path=modules)
    config = directory / CONFIG
    options = read_file(config, dict[str, Any]) if config.is_file() else {}
    is_model2vec = options.get("model_type") == "model2vec" or (
        options.get("architectures") == ["StaticModel"]
    )
    if not is_model2vec and kinds[:1] != ["StaticEmbedding"]:
        return None
    if kinds[1:] not in ([], ["Normalize"]):
        raise InputError(
            f"modules in the order '{' '.join(kinds)}' cannot be applied; expected "
            "StaticEmbedding, at most one Normalize",
            path=modules,
        )
    if not is_model2vec:
        without_limit = Setting(WITHOUT_LIMIT, "a table has no limit")
        return StaticFiles(
            folder, False, Setting("Normalize" in kinds, "modules.json"), without_limit
        )
    max_length = Setting(MODEL2VEC_MAX_LENGTH, "model2vec's default")
    with damage_in_one_sentence(config, advice=REPAIR):
        if options.get("max_length", MODEL2VEC_MAX_LENGTH) is None:
            max_length = Setting(WITHOUT_LIMIT, "config.json")
        elif "max_length" in options:
            longest = saved_number(options, "max_length", positive=True, whole=True)
            max_length = Setting(longest, "config.json")
        normalize = options.get("normalize", False)
        if not isinstance(normalize, bool):
            raise ValueError(f"normalize is {normalize!r:.40}, not true or false")
    return StaticFiles(folder, True, Setting(normalize, "config.json"), max_length)
