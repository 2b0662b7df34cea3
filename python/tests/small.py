"""The small scenario of several tests."""

from __future__ import annotations

# Two hosts, a router and a bottleneck that drops: some ten thousand packets per run.
TEXT = """\
name = "small"
duration = "4 s"
warm_up = "1 s"
seeds = 2
sample_interval = "50 ms"

[nodes]
a = { kind = "host" }
r = { kind = "router" }
b = { kind = "host" }

[links.access]
between = ["a", "r"]
rate = "100 Mbit/s"
delay = "1 ms"

[links.bottleneck]
between = ["r", "b"]
rate = "10 Mbit/s"
delay = "9 ms"
queue = { kind = "tail-drop", limit = "40 packets" }

[flows.bulk]
from = "a"
to = "b"
transport = { kind = "tcp", congestion = "cubic" }
app = { kind = "bulk" }
start_jitter = "100 ms"

[flows.ping]
from = "a"
to = "b"
app = { kind = "ping", interval = "20 ms" }

[quick]
duration = "2 s"
"""
