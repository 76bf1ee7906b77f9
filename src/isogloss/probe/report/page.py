"""``isogloss probe report``: one HTML file of what probes measured.

`probe.saved` reads what was measured, the module of each probe here chooses what is shown, and the
templates say how it looks.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from isogloss import __version__
from isogloss.errors import InputError, refuse_twice
from isogloss.probe.charts.names import Names
from isogloss.probe.geometry.result import FORMAT as GEOMETRY
from isogloss.probe.neutrality.result import FORMAT as NEUTRALITY
from isogloss.probe.report.claims import headline_of
from isogloss.probe.report.geometry import GeometryPart, geometry_part
from isogloss.probe.report.neutrality import NeutralityPart, neutrality_part
from isogloss.probe.report.transfer import TRANSFER_FORMATS, transfer_sections
from isogloss.probe.report.translation import TranslationPart, translation_part
from isogloss.probe.saved import Format, SavedProbe, Tables, by_series, joined, read_saved
from isogloss.probe.translation.result import FORMAT as TRANSLATION
from isogloss.report.lines import FORMS
from isogloss.report.page import write_page
from isogloss.storage.files import refuse_existing, refuse_read

FORMATS = (GEOMETRY, NEUTRALITY, TRANSLATION)
Part = NeutralityPart | TranslationPart
_PARTS: dict[str, tuple[Format, Callable[[Tables, Names], Part]]] = {
    "Neutrality": (NEUTRALITY, neutrality_part),
    "Vector translation": (TRANSLATION, translation_part),
}  # beside the geometry, in the order of the page


def write_probe_report(folders: Sequence[Path], path: Path, *, overwrite: bool = False) -> None:
    """Write one HTML file of the folders that probes wrote, in the order shown.

    Raises
    ------
    InputError
        When there is no folder, one of them cannot be read, or two measured the same; when `path`
        exists and `overwrite` is false, or it cannot be written.
    """
    refuse_read(path, folders)
    refuse_existing(path, overwrite=overwrite, makes="file")
    if not folders:
        raise InputError("no folder to report on; name one that `isogloss probe` made")
    refuse_twice([str(folder.resolve()) for folder in folders], "the folder")
    saved = [read_saved(folder, (*FORMATS, *TRANSFER_FORMATS)) for folder in folders]
    by_format = {format.name: [one for one in saved if one.format is format] for format in FORMATS}
    layered = [one for some in by_format.values() for one in some]
    names = Names(language for one in layered for rows in one.tables.values()
                  for series in by_series(rows) for language in series.languages)  # fmt: skip
    geometry = by_format[GEOMETRY.name]
    of_geometry = geometry_part(joined(geometry), names) if geometry else None
    parts = {
        title: part_of(joined(some), names)
        for title, (format, part_of) in _PARTS.items()
        if (some := by_format[format.name])
    }
    values = {
        "title": _title(names if layered else None, has_transfer=len(layered) < len(saved)),
        "headlines": _headlines(of_geometry, parts),
        "note": _note(saved, names),
        "geometry": of_geometry,
        "parts": list(parts.values()),
        "transfer": transfer_sections(saved),
        "sources": saved,
        "forms": FORMS,
        "version": __version__,
    }
    write_page(path, "probe.html", values, package="isogloss.probe", overwrite=overwrite)


def _title(names: Names | None, *, has_transfer: bool) -> str:
    """Return the title; `names` are those of what was measured by layer, None: nothing was."""
    if names is None:
        return "Transfer between languages"
    return f"Layers of {names.all()}" + (", and transfer between languages" if has_transfer else "")


def _headlines(geometry: GeometryPart | None, parts: Mapping[str, Part]) -> dict[str, list[str]]:
    """Return what each part says in short; of several, by what it is of."""
    said = {}
    if geometry is not None:
        said[f"Geometry of {geometry.scope}"] = headline_of(geometry.claims)
    said |= {f"{title} of {part.scope}": part.headline for title, part in parts.items()}
    return said if len(said) != 1 else dict.fromkeys([""], *said.values())


def _note(saved: Sequence[SavedProbe], names: Names) -> str:
    """Say what stands against comparing: folders with different options, other languages."""
    said = []
    for format in FORMATS:
        same = [one.options for one in saved if one.format is format]
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
