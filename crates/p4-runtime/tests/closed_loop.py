"""Closes a loop around an AQM in `jettison live` with the package p4runtime-shell: closed_loop.py JETTISON.

iRED runs in P4 with thresholds in packets. Its switch reports the queue by digests; the controller sets the thresholds to what the
link sends in 20 and 40 ms, as `jettison.examples.threshold_loop` does in a simulation. The downloads are the kernel's. Exits 1 with
the expectation that failed.
"""

import sys
import tempfile
import time
from statistics import mean, median

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
changes = [{{ at = "12 s", rate = "20 Mbit/s" }}]
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
        self.has_entry = False

    def watch(self, seconds, sets):
        """Takes reports for this time, and sets the thresholds by them if it is asked to."""
        self.waits, self.lows = [], []
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
        update = messages.Update(type=messages.Update.MODIFY if self.has_entry else messages.Update.INSERT)
        entry = update.entity.table_entry
        entry.table_id = sh.context.get_table("ired").preamble.id
        entry.match.add(field_id=1).exact.value = PORT.to_bytes(1, "big")
        entry.action.action.action_id = sh.context.get_action("set_ired").preamble.id
        # The thresholds, and the paper's constant probability of 2/512.
        for number, value in enumerate([low, 2 * low, 0, 0, 2, 511], 1):
            entry.action.action.params.add(param_id=number, value=value.to_bytes(2, "big"))
        sh.client.write_update(update)
        self.has_entry = True
        self.lows.append(low)

    def threshold(self):
        """The lower threshold as the switch has it, in tenths of a packet."""
        wanted = messages.Entity()
        wanted.table_entry.table_id = sh.context.get_table("ired").preamble.id
        (found,) = (entity for answer in sh.client.read_one(wanted) for entity in answer.entities)
        return int.from_bytes(found.table_entry.action.action.params[0].value, "big")


def main():
    with tempfile.TemporaryDirectory() as folder, Live(sys.argv[1], folder, "loop", "", scenario=SCENARIO):
        loop = Loop()
        loop.watch(3, sets=False)
        loop.watch(3, sets=False)
        fixed, reports = mean(loop.waits), len(loop.waits)
        expect(f"{reports} reports in 3 s", 18 <= reports <= 34, True)
        loop.watch(2, sets=True)
        loop.watch(3, sets=True)
        # A queue that empties at times sends less than its link could, and the threshold falls for a moment.
        closed, slow = mean(loop.waits), median(loop.lows)
        # 5 Mbit/s are 417 packets/s: 8.3 packets in 20 ms.
        expect(f"threshold {slow} at 5 Mbit/s", 60 <= slow <= 100, True)
        expect("the switch's threshold", loop.threshold(), loop.lows[-1])
        expect(f"waits {fixed:.3f} s with fixed thresholds, {closed:.3f} s in the loop", closed < 0.7 * fixed, True)
        loop.watch(3, sets=True)
        loop.watch(2, sets=True)
        fast = median(loop.lows)
        expect(f"threshold {fast} at 20 Mbit/s", 240 <= fast <= 400, True)
    print(
        f"OK: closed loop in a live run: {1000 * fixed:.0f} ms of queue became {1000 * closed:.0f} ms; "
        f"thresholds {slow / 10} packets at 5 Mbit/s, {fast / 10} at 20"
    )


if __name__ == "__main__":
    main()
