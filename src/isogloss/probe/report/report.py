"""``isogloss probe report``: one HTML file of what probes measured.

`saved` reads what was measured, `report_geometry` and `report_neutrality` choose what is shown and
say what it shows, and the templates say how it looks.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from isogloss import __version__
from isogloss.errors import InputError
from isogloss.probe.geometry.saved import GEOMETRY, geometry_rows
from isogloss.probe.neutrality.saved import NEUTRALITY, neutrality_rows
from isogloss.probe.report.claims import headline_of
from isogloss.probe.report.geometry import GeometryPart, geometry_part
from isogloss.probe.report.neutrality import NeutralityPart, neutrality_part
from isogloss.probe.report.sentences import Names
from isogloss.probe.saved import SavedProbe, read_saved
from isogloss.report.lines import FORMS
from isogloss.report.page import write_page
from isogloss.storage.files import refuse_existing, refuse_read

FORMATS = (GEOMETRY, NEUTRALITY)


class Headline(NamedTuple):
    """What a part of the page says in short, and what it is of, where there are several."""

    of: str
    sentences: list[str]


class Source(NamedTuple):
    """A folder, and how it was measured."""

    name: str
    command: str
    made_by: str
    options: dict[str, Any]
    notes: list[str]


def write_probe_report(folders: Sequence[Path], path: Path, *, overwrite: bool = False) -> None:
    """Write one HTML file of the folders that probes wrote.

    Parameters
    ----------
    folders
        Of one or several encoders and languages, in the order shown.

    Raises
    ------
    InputError
        When there is no folder, one of them cannot be read, or two measured the same; when `path`
        exists and `overwrite` is false, or it cannot be written.

    Examples
    --------
    ``write_probe_report([Path("geometry")], Path("report.html"))``
    """
    refuse_read(path, folders)
    refuse_existing(path, overwrite=overwrite, makes="file")
    if not folders:
        raise InputError("no folder to report on; name one that `isogloss probe` made")
    saved = [read_saved(folder, FORMATS) for folder in folders]
    geometry, neutrality = (
        [one for one in saved if one.format == format.name] for format in FORMATS
    )
    names = Names(series for one in saved for table in ("layers", "languages")
                  for series in one.rows(table) if series.lang)  # fmt: skip
    of_geometry = geometry_part(geometry_rows(geometry), names) if geometry else None
    of_neutrality = neutrality_part(neutrality_rows(neutrality), names) if neutrality else None
    values = {
        "title": f"Layers of {names.all()}",
        "headlines": _headlines(of_geometry, of_neutrality),
        "note": _note(saved, names),
        "geometry": of_geometry,
        "neutrality": of_neutrality,
        "sources": [_source(one) for one in saved],
        "forms": FORMS,
        "version": __version__,
    }
    write_page(path, "probe.html", values, package="isogloss.probe", overwrite=overwrite)


def _headlines(geometry: GeometryPart | None, neutrality: NeutralityPart | None) -> list[Headline]:
    """Return what each part says in short; of two, with what it is of."""
    are_two = geometry is not None and neutrality is not None
    found = []
    if geometry is not None:
        of = f"Geometry of {geometry.scope}" if are_two else ""
        found.append(Headline(of, headline_of(geometry.claims)))
    if neutrality is not None:
        of = f"Neutrality of {neutrality.scope}" if are_two else ""
        found.append(Headline(of, neutrality.headline))
    return found


def _note(saved: Sequence[SavedProbe], names: Names) -> str:
    """Say what stands against comparing: folders with different options, other languages."""
    said = []
    for format in FORMATS:
        same = [one.options for one in saved if one.format == format.name]
        differing = sorted({name for one in same for name in one | same[0]
                            if one.get(name) != same[0].get(name)})  # fmt: skip
        if differing:
            said.append(
                f"The folders of `{format.command}` were measured with different options "
                f"({', '.join(differing)}; see below): differences between them may come from that."
            )
    pairs = set(names.series)
    if len(pairs) < len(names.encoders) * len(names.langs):
        said.append("Not all encoders were measured in the same languages.")
    return " ".join(said)


def _source(saved: SavedProbe) -> Source:
    command = next(one.command for one in FORMATS if one.name == saved.format)
    return Source(saved.folder.name, command, saved.made_by, saved.options, saved.notes)
