"""Read names of forms from standard input, and say of each what its command made of the files.

A long-lived process, for a new Python would take seconds for each damage. What it says is one line
of JSON: ``same``, ``refused`` or ``traceback``, with the answer or the message.
"""

import json
import os
import resource
import sys
import traceback
import warnings
from pathlib import Path

MEMORY = 24 << 30  # bytes of addresses: a made-up size is refused by the system, not by the machine


def main(root: Path) -> None:
    """Answer until standard input ends."""
    replies = os.fdopen(os.dup(1), "w")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    warnings.simplefilter("ignore")
    import torch
    from damaged_forms import FORMS, RefusedError

    torch.set_num_threads(1)
    for line in sys.stdin:
        try:
            reply = ["answer", FORMS[line.strip()].answer(root)]
        except RefusedError as error:
            reply = ["refused", str(error)]
        except BaseException:  # noqa: BLE001  # what no command foresaw, a panic of a library too
            reply = ["traceback", traceback.format_exc()[-3000:]]
        replies.write(json.dumps(reply) + "\n")
        replies.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
