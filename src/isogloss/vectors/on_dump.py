"""Vectors of words and entities from the dump of a Wikipedia: one call from file to file."""

import shutil
from pathlib import Path

import numpy as np

from isogloss.cores import check_threads
from isogloss.data.lines import STANDARD_INPUT
from isogloss.errors import InputError, counted, omissions_are_errors, warn_omitted
from isogloss.kb.build.source import Source
from isogloss.memory import check_disk
from isogloss.progress import logger
from isogloss.storage.files import locked, resolved
from isogloss.storage.work_folder import kept_folders_said
from isogloss.vectors.corpus.dump_corpus import VERSION, DumpReading, corpus_of_dump, stages_in
from isogloss.vectors.formats.files import refuse_place
from isogloss.vectors.formats.native_file import write_native
from isogloss.vectors.training.checkpoint import checkpoint_in
from isogloss.vectors.training.training import VectorTraining, made_with, train_vectors
from isogloss.vectors.vocabulary import Vocabulary
from isogloss.vectors.word_entity_vectors import WordEntityVectors
from isogloss.workers import n_cores

ALIKE = 0.9  # mean cosine of random pairs of words; above, neighbours mean nothing
_N_PAIRS = 1000


def train_on_dump(
    source: str,
    out: Path,
    reading: DumpReading | None = None,
    training: VectorTraining | None = None,
    *,
    work: Path | None = None,
    workers: int | None = None,
    seed: int = 0,
    overwrite: bool = False,
) -> WordEntityVectors:
    """Train vectors on a dump, and write them in the native form.

    Parameters
    ----------
    source
        ``"wikipedia:ja=DUMP"``: the code of the Wikipedia, and its pages-articles.
    work
        Folder of the stages, kept when it is given; None: one beside `out`, which is removed when
        that is made. A stopped run resumes from it. One run at a time works in it.
    workers
        Processes that read, and threads that train; None: as many as there are cores.
    seed
        With one worker, the same seed gives the same bytes, however often the run was stopped.

    Raises
    ------
    InputError
        When the source is of another form, the dump of no use, memory or disk too small, or another
        run in the folder.

    Warns
    -----
    OmissionWarning
        When no entity, or no word, reaches its minimum count.
    """
    check_threads(workers, "workers")
    if not source.startswith("wikipedia:"):
        raise InputError(f"the source '{source}' is no Wikipedia; write wikipedia:ja=DUMP")
    parsed = Source.parse(source)
    code, dump, lang = parsed.code, parsed.path, parsed.lang
    read = [dump] if reading is None or reading.kb is None else [dump, reading.kb]
    refuse_place(out, overwrite=overwrite, reads=read)
    reading, training = reading or DumpReading(), training or VectorTraining()
    workers, facts = workers or n_cores(), reading.facts()
    folder = work or out.parent / f".{out.name}.work"
    if resolved(folder) == resolved(out):
        raise InputError("out and work are the same; give two names", path=out)
    with locked(folder), kept_folders_said([] if work else [folder]):
        try:
            corpus = corpus_of_dump(
                dump, folder, reading, code=code, lang=lang, workers=workers, keep=work is not None
            )
        except InputError:
            if work is None and not any(folder.rglob("*.part")):  # else a next run resumes
                shutil.rmtree(folder, ignore_errors=True)
            raise
        if omissions_are_errors():  # before the hours of training
            _warn_of_nothing(corpus.vocabulary)
        n_bytes = 4 * len(corpus.vocabulary) * training.width
        check_disk(out.parent, n_bytes, f"{out.name}", advice="give --out on a larger disk")
        known_by = {**made_with(corpus, training, seed), "reading": facts, "version": VERSION}
        checkpoint = checkpoint_in(stages_in(folder, code), known_by)
        vectors = train_vectors(
            corpus, training, seed=seed, n_workers=workers, lang=lang, checkpoint=checkpoint,
            says_time=True,
        )  # fmt: skip
        name = "standard input" if dump == STANDARD_INPUT else dump.name
        vectors.facts |= {"source": f"wikipedia:{code}={name}", "reading": facts}
        write_native(vectors, out, overwrite=overwrite)
        checkpoint.unlink(missing_ok=True)
    if work is None:
        shutil.rmtree(folder)
    _warn_of_nothing(corpus.vocabulary)
    _say_alike(vectors)
    return vectors


def _say_alike(vectors: WordEntityVectors) -> None:
    """Say it where the text was too little to tell words apart."""
    n_words = len(vectors.vocabulary.words)
    left, right = np.random.default_rng(0).integers(n_words, size=(2, _N_PAIRS if n_words else 0))
    pairs = np.stack([left, right])[:, left != right]
    units = vectors.matrix[pairs].astype(np.float64)
    norms = np.linalg.norm(units, axis=2, keepdims=True)
    units /= np.where(norms > 0, norms, 1)
    mean = float((units[0] * units[1]).sum(axis=1).mean()) if pairs.size else 0.0
    if mean > ALIKE:
        logger.warning(
            "random pairs of words have a mean cosine of %.3f: too little text for so few epochs; "
            "train for more, or on more pages", mean,
        )  # fmt: skip


def _warn_of_nothing(vocabulary: Vocabulary) -> None:
    """Warn of vectors without a single entity, or word, with how many were met too seldom."""
    if not len(vocabulary.entities):
        n_linked = int((vocabulary.rare_entities.counts > 0).sum())  # pages without links are rare
        why = (
            f"{counted(n_linked, 'entity is', 'entities are')} linked less than "
            f"{vocabulary.min_entity_count} times; lower --min-entity-count, or read more pages"
        )
        if not n_linked:
            why = "no link leads to an entity; read more pages, or give a dump pages-articles"
        warn_omitted(f"no entity has a vector: {why}")
    if not len(vocabulary.words):
        n_rare = len(vocabulary.rare_words.names)
        why = (
            f"{counted(n_rare, 'word occurs', 'words occur')} less than "
            f"{vocabulary.min_word_count} times; lower --min-word-count, or read more pages"
        )
        if not n_rare:
            why = "no section has enough words; lower --min-paragraph-len, or read more pages"
        warn_omitted(f"no word has a vector: {why}")
