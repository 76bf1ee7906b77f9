"""The ways of counting what the names of a wiki mean."""

from typing import Literal, TypeAlias

# As `counts` and `kb.build.occurrences` say, or as wikipedia2vec 2.0 does (`wikipedia2vec`).
Counting: TypeAlias = Literal["isogloss", "wikipedia2vec"]
COUNTINGS: tuple[Counting, ...] = ("isogloss", "wikipedia2vec")
