"""A scenario that takes some milliseconds per run."""

TEXT = """\
name = "tests/short"
duration = "2 s"
warm_up = "500 ms"
seeds = 2

[nodes]
a = { kind = "host" }
r = { kind = "router" }
b = { kind = "host" }

[queues.bottleneck]
kind = "codel"
target = "5 ms"
interval = "100 ms"

[links.access]
between = ["a", "r"]
rate = "100 Mbit/s"
delay = "1 ms"

[links.bottleneck]
between = ["r", "b"]
rate = "10 Mbit/s"
delay = "4 ms"
queue = "bottleneck"

[flows.bulk]
from = "a"
to = "b"
app = "bulk"
start_jitter = "100 ms"
count = 2
"""
