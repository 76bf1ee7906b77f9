"""Entry point of ``isogloss``: puts the groups together and turns errors into one sentence.

Exit codes: 0; 1 where `doctor` finds what cannot work; 2 for input that cannot be used; 130 on
Ctrl-C, 143 on SIGTERM, 129 on SIGHUP. Results go to stdout, log messages to stderr.
"""

import gc
import logging
import os
import re
import signal
import sys
import warnings
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from itertools import pairwise
from typing import Any, TextIO

import typer

from isogloss import __version__
from isogloss.cli.quiet import add_quiet, be_quiet, talk_restored
from isogloss.cli.stops import Stopped, stops_raise
from isogloss.cli.streams import UnwrittenError, answer_to, talk_to
from isogloss.cores import is_first_process
from isogloss.errors import PACKAGE, InputError, OmissionWarning

# Name → the line of help, by which a group or command is known as long as nobody names it.
GROUPS = {
    "kb": "Knowledge bases: entities, their names, and texts linked to them.",
    "classify": "Classifiers: label in one language, answer in many.",
    "align": "Sentence encoders trained on translations.",
    "mine": "Sentence pairs for training.",
    "retrieve": "Search across languages, and how well it works.",
    "tag": "Taggers: tag words in one language, and in many.",
    "vectors": "Vectors of words and entities.",
    "probe": "What an encoder is like, layer by layer, and how it transfers.",
}
COMMANDS = {
    "encode": "Encode texts, one vector each, streamed to a memory-mapped array.",
    "demo": "Train on English, answer in fourteen languages, with and without entities.",
    "serve": "Serve a model on this machine: a page to try it on, and JSON for programs.",
    "doctor": (
        "Say what is installed, what this machine is, and what cannot work; fit for a bug report."
    ),
    "reproduce": (
        "Measure the tables of a paper again, beside the published figures: what is missing runs."
    ),
    "try": "Learn from a file of labelled texts, answer another, and open a page on it.",
}
# Of a command that has not the name of its module; the last part is that of the function.
_MODULES = {
    "doctor": "diagnosing.doctor",
    "reproduce": "reproducing.reproduce",
    "serve": "serving.serve",
    "try": "serving.trial",
}
_TAKE_EMPTY = ("--prefix", "--label-separator")  # the first means none, the second says more


def command_line(words: Sequence[str] | None = None) -> Any:
    """Return `isogloss` as a command, which imports what takes time only where it is named.

    Parameters
    ----------
    words
        What is to be run: the group or command that they name is there with all that it has, of
        the others the name and a line of help. None: all are there.
    """
    if words is None:
        return _command((*GROUPS, *COMMANDS))
    name = next((word for word in words if not word.startswith("-")), "")
    return _command((name,))


@cache
def _command(named: tuple[str, ...]) -> Any:
    app = typer.Typer(
        name="isogloss",
        help="Label text in one language, classify it in a hundred others, with the evidence.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
    )
    app.callback(invoke_without_command=True)(_version)
    for name, line in (GROUPS | COMMANDS).items():
        if name not in named:
            app.command(name, help=line)(_listed)
            continue
        module_name = _MODULES.get(name, name)
        module = import_module(f"isogloss.cli.{module_name}")
        if name in GROUPS:
            app.add_typer(module.app, name=name)
        else:
            app.command(name)(getattr(module, module_name.rpartition(".")[2]))
    command = typer.main.get_command(app)
    add_quiet(command)
    return command


def _version(
    version: bool = typer.Option(False, "--version", "-V", help="Print the version and stop."),
) -> None:
    if version:
        typer.echo(f"isogloss {__version__}")
        raise typer.Exit


def _listed() -> None:
    """Stand for a command that is not imported, and so not run."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Parameters
    ----------
    arguments
        Words after ``isogloss``; those of the process when None.
    """
    sys.stderr = talk_to(sys.stderr)
    logging.basicConfig(stream=sys.stderr, format="isogloss: %(message)s", level=logging.WARNING)
    logging.getLogger("isogloss").setLevel(logging.INFO)
    if arguments is None:
        logging.getLogger("isogloss.compiling").setLevel(logging.INFO)
    warnings.showwarning = _show_warning
    warnings.filterwarnings("always", category=OmissionWarning)
    if sys.stdout is None:  # as above
        return _say("standard output is closed; let it go to a file, or to /dev/null")
    _write_utf8()
    words = list(sys.argv[1:] if arguments is None else arguments)
    stdout = sys.stdout
    sys.stdout = answer_to(stdout)
    try:
        with stops_raise(ends=arguments is None):
            return _run(words)
    finally:
        sys.stdout = stdout
        if arguments is None:
            gc.freeze()  # else Python, as it ends, looks through millions of objects for cycles


def _run(words: list[str]) -> int:
    before = _places(words)
    try:
        command = command_line(words)
        _refuse_empty(words)
        # Not the command's own main(): it ends Ctrl-C without a word and broken pipes with 1.
        with talk_restored():
            be_quiet(not is_first_process())  # of several, the first speaks; errors are said by all
            with command.make_context("isogloss", words) as context:
                command.invoke(context)
        sys.stdout.flush()
        return 0
    except typer.Exit as stop:
        return stop.exit_code
    except UnwrittenError as error:
        made = [word for word, state in _places(words).items() if before.get(word) != state]
        return _say(f"{error}; what was written stays: {', '.join(made)}" if made else str(error))
    except InputError as error:
        return _say(str(error))
    except OmissionWarning as omission:  # --strict makes them errors
        return _say(f"{omission} (an error under --strict; leave that out to go on)")
    except typer.TyperException as error:
        return _say(_one_sentence(error))
    except (KeyboardInterrupt, typer.Abort) as stop:
        number = stop.number if isinstance(stop, Stopped) else signal.SIGINT
        by = "Ctrl-C" if number == signal.SIGINT else signal.Signals(number).name
        _say(f"stopped by {by}; nothing is left half-written{_how_to_go_on(words)}")
        return 128 + number
    except MemoryError as error:
        said = f" ({error})" if str(error) else ""
        return _say(f"memory is too small{said}; give smaller numbers, or less at once")
    except ModuleNotFoundError as error:
        name = (error.name or "").partition(".")[0]
        if name in ("", PACKAGE):
            raise
        return _say(
            f"the package '{name}', which isogloss needs, is not installed; install isogloss again "
            "(isogloss doctor says what is there)"
        )
    except BrokenPipeError:  # the reader of our output has enough, as `head` does
        return 0
    except OSError as error:  # what no reader or writer foresaw: permissions, a failing disk
        place = f"{error.filename}: " if error.filename else ""
        reason = error.strerror or error
        return _say(f"{place}{reason}; check the path, its permissions and the disk")


def _places(words: list[str]) -> dict[str, tuple[int, int]]:
    """Return the files and folders that words name, and by what a change of each is known."""
    found = {}
    for word in words:
        path = word.partition("=")[2] if word.startswith("--") else word
        with suppress(OSError, ValueError):
            status = os.stat(path)  # noqa: PTH116
            found[path] = (status.st_ino, status.st_mtime_ns)
    return found


def _how_to_go_on(words: list[str]) -> str:
    keeps = any(word.partition("=")[0] == "--checkpoints" for word in words)
    keeps = keeps or bool(_places([f"{word}/_run.json" for word in words]))  # a folder of parts
    if keeps or words[:2] == ["classify", "compare"]:
        return ", and the same command resumes from what is kept"
    return ""


def _refuse_empty(words: list[str]) -> None:
    """Refuse an empty value, which a path would take for the folder that the command runs in."""
    apart = [option for option, value in pairwise(words) if not value]
    joined = [word.removesuffix("=") for word in words if word.endswith("=")]
    for option in (*apart, *joined):
        if re.fullmatch(r"--[\w-]+", option) and option not in _TAKE_EMPTY:
            raise InputError(f"{option} is empty; give a value, or leave {option} out")


def _write_utf8() -> None:
    """Make output UTF-8 on every machine; lone surrogates come out as JSON escapes."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _one_sentence(error: typer.TyperException) -> str:
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "isogloss"
    message = _fault_of_value(error) or error.format_message().rstrip(".")
    message = message or "name a command"  # after the help of a group
    return f"{message}; see: {command} --help"


def _fault_of_value(error: typer.TyperException) -> str:
    """Say which value an option does not take, and what it takes; "" for another fault."""
    faults = getattr(error.__cause__, "errors", None)  # of pydantic, which checks the values
    parameter = getattr(error, "param", None)
    if faults is None or parameter is None:
        return ""
    fault: dict[str, Any] = faults()[0]
    option, value = parameter.opts[0], fault["input"]
    low, high = getattr(parameter, "min", None), getattr(parameter, "max", None)
    is_whole = fault["type"].startswith("int_") or isinstance(low, int)
    number = "a whole number" if is_whole else "a number"
    if fault["type"] == "value_error":  # a choice, or a path that cannot be one
        return f"{option} is {value!r}: {fault['ctx']['error']}".rstrip(".")
    if low is not None:
        number += f" of at least {low:g}" if high is None else f" in {low:.12g} to {high:.12g}"
    return f"{option} is {value!r}; {number} is allowed"


def _say(sentence: str) -> int:
    typer.echo(f"isogloss: {' '.join(sentence.split())}", err=True)
    return 2


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    if issubclass(category, UserWarning):
        typer.echo(f"isogloss: {' '.join(str(message).split())}", err=True)


if __name__ == "__main__":
    sys.exit(main())
