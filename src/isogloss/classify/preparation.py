"""How texts are made ready for one classifier: encoded, linked, their entities given vectors."""

from collections.abc import Sequence
from dataclasses import dataclass

from isogloss.classify.documents.documents import (
    PreparedDocuments,
    prepare_documents,
    say_what_was_left_out,
)
from isogloss.classify.documents.entity_batch import EntityBatch
from isogloss.classify.documents.entity_source import EntitySource, entity_source
from isogloss.classify.options import FittedOptions
from isogloss.encode import Encoder
from isogloss.encode.settings import TO_READ_ALL
from isogloss.encode.source import EncoderName
from isogloss.kb import KnowledgeBase


@dataclass(frozen=True)
class Preparation:
    """What a classifier reads texts with."""

    encoder: Encoder  # of texts
    base_encoder: Encoder  # of the names of entities: `encoder` before any fine-tuning
    kb: KnowledgeBase | None  # None: texts are not linked
    langs: tuple[str, ...]  # the training languages; entities that none of them names are left out
    options: FittedOptions  # of the classifier
    # root mean square of random vectors; None: that of a unit vector
    random_scale: float | None = None
    # the encoder before fine-tuning where that was not loaded; `encoder` is then in both places
    base_name: EncoderName | None = None

    @property
    def base(self) -> EncoderName:
        """The encoder before any fine-tuning."""
        known = self.base_encoder
        return self.base_name or EncoderName(
            known.name, known.fingerprint, known.settings.options()
        )

    def documents(
        self,
        texts: Sequence[str],
        langs: list[str | None],
        *,
        fallback_lang: str | None = None,
        without_vectors: bool = False,
    ) -> PreparedDocuments:
        """Encode and link texts, and say what was left out of them.

        Parameters
        ----------
        langs
            Canonical language of each text, None where it is not known.
        fallback_lang
            As in `prepare_documents`.
        without_vectors
            Link only, where nothing reads the vectors.
        """
        documents = prepare_documents(
            texts,
            langs,
            encoder=None if without_vectors else self.encoder,
            pooling=self.options.pooling,
            long_texts=self.options.long_texts,
            kb=self.kb,
            source=self.entity_source(),
            training_langs=self.langs,
            options=self.options.linking,
            fallback_lang=fallback_lang,
        )
        say_what_was_left_out(
            documents,
            self.langs,
            fallback_lang,
            limit=self.encoder.settings.limit,
            how_to_read_all=f"; fit with {TO_READ_ALL}" if self.options.tune == "head" else "",
        )
        return documents

    def entity_batch(self, documents: PreparedDocuments) -> EntityBatch | None:
        """Return the documents' entities with their vectors; None without a knowledge base."""
        source = self.entity_source()
        if source is None:
            return None
        if documents.bags is None:
            raise ValueError("these documents were prepared without a knowledge base")
        return EntityBatch.of(documents.bags, source)

    def entity_source(self) -> EntitySource | None:
        """Return where initial vectors of entities come from; None without a knowledge base."""
        if self.kb is None:
            return None
        return entity_source(
            self.options.init,
            self.kb,
            self.base_encoder,
            langs=self.langs,
            pooling=self.options.pooling,
            seed=self.options.random_state,
            root_mean_square=self.random_scale,
        )
