"""``isogloss probe translation``: whether one offset between two languages translates."""

from pathlib import Path
from typing import Annotated

from isogloss.cli import options
from isogloss.cli.groups import Fields, count, grouped
from isogloss.cli.places import refuse_inside, refuse_piped_twice, refuse_place, refuse_same_pairs
from isogloss.cli.probing.results import OUT, Encoders, OverwriteOut, print_result, say_written
from isogloss.data.pairs import parse_pair_file
from isogloss.encode import Encoder
from isogloss.errors import refuse_twice
from isogloss.probe.translation.measure import read_translations
from isogloss.probe.translation.result import TranslationOptions, TranslationResult
from isogloss.probe.translation.runs import TRANSLATION, translations

Asked = Annotated[
    TranslationOptions,
    Fields(
        max_pairs=count(
            "Maximum number of pairs of two languages (a random sample is taken above this).",
            least=4,
        ),
        n_neighbours=count("Number of neighbours of CSLS.", "--neighbours"),
        seed=options.SEED,
    ),
]


@grouped
def translation(
    pairs: options.PairFiles,
    asked: Asked,
    compute: options.Precise,
    output: options.Output,
    encoder: Encoders = ["bundled"],  # noqa: B006
    checkpoints: options.CheckpointFolder = None,
    out: Annotated[Path | None, OUT] = None,
    overwrite: OverwriteOut = False,
) -> None:
    """Measure in which layers the mean offset of two languages takes sentences to translations."""
    refuse_twice(encoder, "--encoder")
    refuse_piped_twice(pairs)
    files = [parse_pair_file(value) for value in pairs]
    if out is not None:
        refuse_place(out, pairs, encoder, overwrite=overwrite, makes="folder")
        refuse_inside(out, checkpoints=checkpoints)
    if checkpoints is not None:
        TRANSLATION.check_place(checkpoints)
    refuse_same_pairs({"--pairs": files})
    read = read_translations(files, asked)
    measured = []
    with translations(asked, checkpoints) as kept:
        for name in encoder:
            model = Encoder.load(name, encoder_half=True, **vars(compute))
            measured += [kept.measure(model, some) for some in read]
    result = TranslationResult(measured, options=asked)
    if out is not None:
        result.write(out, overwrite=overwrite)
        say_written(out)
    print_result(result, (result.layers, result.claims), as_json=output.as_json)
