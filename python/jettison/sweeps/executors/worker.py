"""A worker process: reads batches from standard input and writes outcomes to standard output.

It is started as a module and not by forking or importing the caller's script, so scripts without
`if __name__ == "__main__"` and notebooks work as well.
"""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Serves batches until standard input is closed."""
    # Output of disciplines must not mix with the messages: redirect it to standard error.
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    from ..work import check, run_batch
    from .pipe import receive, send

    parent = os.getppid()
    job = receive(requests)
    send(replies, check(job))
    while True:
        try:
            batch = receive(requests)
        except EOFError:
            return
        for outcome in run_batch(job, batch):
            send(replies, outcome)
            if os.getppid() != parent:
                return  # the parent is gone
        send(replies, None)


if __name__ == "__main__":
    try:
        main()
    except (EOFError, BrokenPipeError, KeyboardInterrupt):
        # The parent is gone: even Python's final flush has no reader.
        sys.stderr.flush()
        os._exit(1)
