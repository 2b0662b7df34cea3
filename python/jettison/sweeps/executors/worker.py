"""A worker process: reads batches from its standard input, and writes what became of them to its output.

It is started by its name and not by forking or by importing the caller's script again, so that a script
without `if __name__ == "__main__"` and a notebook work as well.
"""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Serves batches until nobody asks any more."""
    # What a discipline prints must not come between the messages: it goes to standard error.
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
                return  # nobody is left to read
        send(replies, None)


if __name__ == "__main__":
    try:
        main()
    except (EOFError, BrokenPipeError, KeyboardInterrupt):
        # Whoever asked has gone: not even Python's own flush at the end has a reader.
        sys.stderr.flush()
        os._exit(1)
