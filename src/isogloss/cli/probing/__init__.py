"""``isogloss probe translation``, ``probe transfer``, and the commands that read its folder."""

from isogloss.cli.probing.explained import overlap, rank_sources, typology
from isogloss.cli.probing.script import script
from isogloss.cli.probing.transfer import transfer
from isogloss.cli.probing.translation import translation

COMMANDS = {
    "translation": translation,
    "transfer": transfer,
    "overlap": overlap,
    "typology": typology,
    "script": script,
    "rank-sources": rank_sources,
}
