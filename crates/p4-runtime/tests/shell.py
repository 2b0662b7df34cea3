"""Controls `jettison p4 serve` with the package p4runtime-shell: shell.py JETTISON [PORT].

Exits 1 with the expectation that failed.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import p4runtime_sh.shell as sh
from p4.v1 import p4runtime_pb2 as messages

PROGRAM = Path(__file__).parent / "all" / "learning.p4"
HOST, UNKNOWN = bytes([0, 0, 0, 0, 0, 1]), bytes([0, 0, 0, 0, 0, 9])
CPU_PORT = (510).to_bytes(2, "big")
ENTRIES = 10_000


def expect(what, got, wanted):
    if got != wanted:
        sys.exit(f"{what}: expected {wanted!r}, got {got!r}")


def frame(destination, source):
    return destination + source + b"\x12\x34" + bytes(46)


def packet_out(payload):
    """To port 0: through the tables, in place of a host's packet."""
    sh.PacketOut(payload, egress_port="0").send()


def message(kind):
    received = sh.client.get_stream_packet(kind, timeout=5)
    if received is None:
        sys.exit(f"no {kind} within 5 s")
    return getattr(received, kind)


def insert(table, action, match, **parameters):
    entry = sh.TableEntry(table)(action=action)
    for name, value in match.items():
        entry.match[name] = value
    for name, value in parameters.items():
        entry.action[name] = value
    entry.insert()
    return entry


def learn():
    """Configures the digest, and answers the first list by entries."""
    digest = sh.DigestEntry("learn_t")
    digest.max_timeout_ns, digest.max_list_size, digest.ack_timeout_ns = 0, 1, 10**9
    digest.insert()
    packet_out(frame(UNKNOWN, HOST))
    expect("packet-in", message("packet").payload, frame(UNKNOWN, HOST))
    learned = message("digest")
    values = [member.bitstring for member in learned.data[0].struct.members]
    expect("digest", values, [b"\x01", CPU_PORT])
    source = {"hdr.ethernet.src": "00:00:00:00:00:01", "s.ingress_port": "510"}
    insert("smac", "NoAction", source)
    insert("dmac", "forward", {"hdr.ethernet.dst": "00:00:00:00:00:01"}, port="510")
    request = messages.StreamMessageRequest()
    request.digest_ack.digest_id, request.digest_ack.list_id = learned.digest_id, learned.list_id
    sh.client.stream_out_q.put(request)


def counts():
    """The learned host's packets hit the entry, and give no digest."""
    packet_out(frame(HOST, HOST))
    expect("packet-in", message("packet").payload, frame(HOST, HOST))
    expect("digest of a known host", sh.client.get_stream_packet("digest", timeout=0.2), None)
    counter = sh.DirectCounterEntry("hits")
    counter.table_entry.match["hdr.ethernet.dst"] = "00:00:00:00:00:01"
    expect("direct counter", [entry.packet_count for entry in counter.read()], [1])
    array = sh.CounterEntry("per_port")
    array.index = 510
    expect("counter", [entry.packet_count for entry in array.read()], [2])


def bulk():
    """Writes many entries in one request."""
    table = sh.context.get_table("dmac").preamble.id
    action = sh.context.get_action("forward").preamble.id
    request = messages.WriteRequest()
    for number in range(ENTRIES):
        update = request.updates.add(type=messages.Update.INSERT)
        entry = update.entity.table_entry
        entry.table_id, entry.action.action.action_id = table, action
        match = entry.match.add(field_id=1)
        match.exact.value = (0x10000 + number).to_bytes(3, "big")
        entry.action.action.params.add(param_id=1, value=b"\x01")
    start = time.monotonic()
    sh.client.write(request)
    print(f"{ENTRIES} entries written in {time.monotonic() - start:.2f} s")
    expect("entries", len(list(sh.TableEntry("dmac").read())), ENTRIES + 1)


def refused(jettison, arguments, text):
    done = subprocess.run([jettison, "p4", "serve", *arguments], capture_output=True, text=True, timeout=30)
    expect(f"exit status of {arguments}", done.returncode != 0, True)
    expect(f"message of {arguments}: {done.stderr}", text in done.stderr, True)


def main():
    jettison, port = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "19559"
    address = f"127.0.0.1:{port}"
    with tempfile.TemporaryDirectory() as folder:
        info, config, wrong = (str(Path(folder) / name) for name in ("p4info.txtpb", "config.json", "wrong.p4"))
        compiled = [jettison, "p4", "compile", PROGRAM, "--p4info", info, "--config", config]
        subprocess.run(compiled, check=True)
        command = [jettison, "p4", "serve", PROGRAM, "--listen", address]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            expect("first line", server.stdout.readline(), f"device 1, P4Runtime on {address}; Ctrl-C ends\n")
            refused(jettison, [str(PROGRAM), "--listen", address], "cannot listen on")
            Path(wrong).write_text("control C() { apply { x = 1; } }\n")
            refused(jettison, [wrong, "--listen", "127.0.0.1:0"], "wrong.p4")
            pipeline = sh.FwdPipeConfig(info, config)
            sh.setup(device_id=1, grpc_addr=address, election_id=(0, 1), config=pipeline)
            learn()
            counts()
            bulk()
            sh.teardown()
            expect("the server runs", server.poll(), None)
        finally:
            # Not SIGINT: what a shell starts in the background inherits that it is ignored.
            server.terminate()
            server.wait(timeout=5)
    print("OK: learning switch over P4Runtime")


if __name__ == "__main__":
    main()
