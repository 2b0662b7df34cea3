"""Closes a loop around an AQM in `jettison live` with the package p4runtime-shell: closed_loop.py JETTISON.

iRED runs in P4 with thresholds in packets. Its switch reports the queue by digests; the controller sets the thresholds to what the
link sends in 20 and 40 ms, as `jettison.examples.threshold_loop` does in a simulation. The downloads are the kernel's. Exits 1 with
the expectation that failed.
"""

import sys
import tempfile
import time

import p4runtime_sh.shell as sh
from p4.v1 import p4runtime_pb2 as messages

from live import Live, expect

SCENARIO = """
name = "{name}"
duration = "60 s"
sample_interval = "100 ms"

[nodes.server]
kind = "host"
[nodes.client]
kind = "host"
[nodes.s1]
kind = "p4"
program = "<ired.p4>"
define = ["WITH_REPORTS"]
route = "table_add ipv4_lpm send ${{address}}/32 => ${{port}}"
control = ["mirroring_add 100 0", "mirroring_add 101 1", "table_set_default ired set_ired 280 560 0 0 2 511"]
p4runtime = {{ listen = "127.0.0.1:0", device_id = 7 }}

[links]
access = {{ between = ["server", "s1"], rate = "100 Mbit/s", delay = "1 ms" }}
[links.bottleneck]
between = ["s1", "client"]
rate = "5 Mbit/s"
delay = "10 ms"
changes = [{{ at = "16 s", rate = "20 Mbit/s" }}]
queue = {{ kind = "tail-drop", limit = "400 packets" }}
reverse = {{ rate = "100 Mbit/s", changes = [] }}

[flows]
download = {{ from = "server", to = "client", app = "bulk", transport = {{ kind = "tcp", congestion = "cubic" }}, count = 2 }}
"""
LOW = 0.02  # delay at the lower threshold, in s
PORT = 1  # of the bottleneck


class Loop:
    """The controller. Thresholds are in tenths of a packet."""

    def __init__(self):
        digest = sh.DigestEntry("queue_report_t")
        digest.max_timeout_ns, digest.max_list_size, digest.ack_timeout_ns = 0, 1, 10**9
        digest.insert()
        self.rate = 0.0
        self.waits = []
        self.entry = None

    def watch(self, seconds, sets):
        """Takes reports for this time, and sets the thresholds by them if it is asked to."""
        self.waits = []
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            listed = sh.client.get_stream_packet("digest", timeout=left)
            if listed is None:
                continue
            for data in listed.digest.data:
                report = [int.from_bytes(member.bitstring, "big") for member in data.struct.members]
                port, span, packets, waited, _ = report
                if port == PORT:
                    self.waits.append(waited / packets / 1e6)
                    self.measure(packets / (span / 1e6))
            if sets and self.rate:
                self.set()
            request = messages.StreamMessageRequest()
            request.digest_ack.digest_id, request.digest_ack.list_id = listed.digest.digest_id, listed.digest.list_id
            sh.client.stream_out_q.put(request)

    def measure(self, rate):
        """A port without a queue sends no more than its link could."""
        if self.waits[-1] > LOW / 2 or rate > self.rate:
            self.rate = rate

    def set(self):
        low = max(10, round(10 * self.rate * LOW))
        entry = sh.TableEntry("ired")(action="set_ired")
        entry.match["standard_metadata.egress_port"] = str(PORT)
        parameters = {"min": low, "max": 2 * low, "is_ewma": 0, "is_squared": 0, "first": 2, "largest": 511}
        for name, value in parameters.items():
            entry.action[name] = str(value)
        (entry.modify if self.entry else entry.insert)()
        self.entry = entry

    def threshold(self):
        """The lower threshold as the switch has it, in tenths of a packet."""
        (entry,) = sh.TableEntry("ired").read()
        return int.from_bytes(entry.action.action().params[0].value, "big")


def mean(values):
    return sum(values) / len(values)


def main():
    with tempfile.TemporaryDirectory() as folder, Live(sys.argv[1], folder, "loop", "", scenario=SCENARIO):
        loop = Loop()
        loop.watch(4, sets=False)
        loop.watch(4, sets=False)
        fixed, reports = mean(loop.waits), len(loop.waits)
        expect(f"{reports} reports in 4 s", 25 <= reports <= 45, True)
        loop.watch(3, sets=True)
        loop.watch(3, sets=True)
        closed, slow = mean(loop.waits), loop.threshold()
        # 5 Mbit/s are 417 packets/s: 8.3 packets in 20 ms.
        expect(f"threshold {slow} at 5 Mbit/s", 70 <= slow <= 100, True)
        expect(f"waits {fixed:.3f} s with fixed thresholds, {closed:.3f} s in the loop", closed < 0.7 * fixed, True)
        loop.watch(6, sets=True)
        fast = loop.threshold()
        expect(f"threshold {fast} at 20 Mbit/s", 280 <= fast <= 400, True)
    print(
        f"OK: closed loop in a live run: {1000 * fixed:.0f} ms of queue became {1000 * closed:.0f} ms; "
        f"thresholds {slow / 10} packets at 5 Mbit/s, {fast / 10} at 20"
    )


if __name__ == "__main__":
    main()
