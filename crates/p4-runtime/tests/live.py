"""Controls the switches of `jettison live` with the package p4runtime-shell, while packets flow: live.py JETTISON.

A learning switch, and a flow cache with idle timeouts. Exits 1 with the expectation that failed.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import p4runtime_sh.shell as sh
from p4.v1 import p4runtime_pb2 as messages

HERE = Path(__file__).parent
LEARNING = HERE / "all" / "learning.p4"
SCENARIO = """
name = "{name}"
duration = "60 s"
sample_interval = "100 ms"

[nodes]
a = {{ kind = "host" }}
b = {{ kind = "host" }}
s1 = {{ kind = "p4", program = "{program}", cpu_port = 510, p4runtime = {{ listen = "127.0.0.1:0", device_id = 7 }} }}

# Port 0 has no link: in the learning switch's packet-outs it means the tables.
[links]
a = {{ between = ["a", "s1"], ports = {{ s1 = 1 }}, rate = "100 Mbit/s", delay = "1 ms" }}
b = {{ between = ["s1", "b"], ports = {{ s1 = 2 }}, rate = "100 Mbit/s", delay = "1 ms" }}

[flows]
ping = {{ from = "a", to = "b", app = {{ kind = "ping", interval = "100 ms" }}{times} }}
"""


def expect(what, got, wanted):
    if got != wanted:
        sys.exit(f"{what}: expected {wanted!r}, got {got!r}")


def message(kind, seconds=10):
    received = sh.client.get_stream_packet(kind, timeout=seconds)
    if received is None:
        sys.exit(f"no {kind} within {seconds} s")
    return getattr(received, kind)


def insert(table, action, match, timeout=0, **parameters):
    entry = sh.TableEntry(table)(action=action)
    for name, value in match.items():
        entry.match[name] = value
    for name, value in parameters.items():
        entry.action[name] = value
    if timeout:
        entry.idle_timeout_ns = timeout
    entry.insert()


class Live:
    """A live run with its controller's connection."""

    def __init__(self, jettison, folder, name, program, times="", scenario=SCENARIO):
        file, self.out = Path(folder) / f"{name}.toml", Path(folder) / name
        file.write_text(scenario.format(name=name, program=program, times=times))
        command = [jettison, "live", file, "--out", self.out]
        self.run = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)

    def __enter__(self):
        line = self.run.stdout.readline()
        found = re.fullmatch(r"s1: P4Runtime on (127\.0\.0\.1:\d+), device 7\n", line)
        expect(f"first line {line!r}", found is not None, True)
        self.address = found[1]
        sh.setup(device_id=7, grpc_addr=self.address, election_id=(0, 1))
        return self

    def __exit__(self, *_):
        if sh.client is not None:
            sh.teardown()
        if self.run.poll() is None:
            os.kill(self.run.pid, signal.SIGINT)
        self.run.wait(timeout=20)
        port = self.address.rpartition(":")[2]
        sockets = subprocess.run(["ss", "-Hltn", f"sport = :{port}"], capture_output=True, text=True)
        expect("sockets that are left", sockets.stdout, "")


def learn(jettison, folder):
    """Floods packets of unknown destinations, and answers digests by entries, until both hosts are known."""
    with Live(jettison, folder, "learning", LEARNING):
        digest = sh.DigestEntry("learn_t")
        digest.max_timeout_ns, digest.max_list_size, digest.ack_timeout_ns = 0, 1, 10**9
        digest.insert()
        known = {}
        while len(known) < 2:
            received = message("packet")
            port = int.from_bytes(received.metadata[0].value, "big")
            sh.PacketOut(received.payload, egress_port=str(3 - port)).send()
            listed = sh.client.get_stream_packet("digest", timeout=0.2)
            if listed is None:
                continue
            for data in listed.digest.data:
                address, port = (member.bitstring for member in data.struct.members)
                address, port = address.rjust(6, b"\0").hex(":"), int.from_bytes(port, "big")
                if address in known:
                    continue
                known[address] = port
                insert("smac", "NoAction", {"hdr.ethernet.src": address, "s.ingress_port": str(port)})
                insert("dmac", "forward", {"hdr.ethernet.dst": address}, port=str(port))
            request = messages.StreamMessageRequest()
            request.digest_ack.digest_id, request.digest_ack.list_id = listed.digest.digest_id, listed.digest.list_id
            sh.client.stream_out_q.put(request)
        expect("ports", sorted(known.values()), [1, 2])
        # Now the switch forwards alone: the entries count, and nothing comes to the controller.
        while sh.client.get_stream_packet("packet", timeout=0.3) is not None:
            pass
        time.sleep(1)
        counts = [entry.packet_count for entry in sh.DirectCounterEntry("hits").read()]
        expect(f"counts {counts}", len(counts) == 2 and min(counts) >= 5, True)
        expect("packet-in of a known host", sh.client.get_stream_packet("packet", timeout=0.3), None)


def cache(jettison, folder):
    """Adds an entry for each flow, and removes it when the ping has ended."""
    with Live(jettison, folder, "cache", "<flow_cache.p4>", ', stop = "6 s"'):
        flows = {}
        while len(flows) < 2:
            received = message("packet")
            payload = received.payload
            source, destination = payload[26:30], payload[30:34]
            flow = (source, destination, payload[23])
            port = 3 - int.from_bytes(received.metadata[0].value, "big")
            if flow not in flows:
                flows[flow] = port
                match = {
                    "hdr.ipv4.src": ".".join(map(str, source)),
                    "hdr.ipv4.dst": ".".join(map(str, destination)),
                    "hdr.ipv4.protocol": str(flow[2]),
                }
                insert("flows", "send", match, timeout=500_000_000, port=str(port))
            sh.PacketOut(payload, egress_port=str(port), again="0").send()
        idle = 0
        while idle < 2:
            for entry in message("idle_timeout_notification", 20).table_entry:
                request = messages.WriteRequest()
                update = request.updates.add(type=messages.Update.DELETE)
                update.entity.table_entry.CopyFrom(entry)
                sh.client.write(request)
                idle += 1
        expect("entries that are left", len(list(sh.TableEntry("flows").read())), 0)


def main():
    with tempfile.TemporaryDirectory() as folder:
        learn(sys.argv[1], folder)
        cache(sys.argv[1], folder)
    print("OK: learning switch and flow cache in live runs")


if __name__ == "__main__":
    main()
