#!/usr/bin/env python3
"""Records what BMv2's `simple_switch` does with the cases of `crates/p4-v1model/tests/bmv2/*.cases`.

Each case becomes a program, which p4c compiles; `simple_switch` runs it in a network namespace of its own between veth
devices. The outputs and answers are written back into the files. `FORMAT.md` beside them describes their language.

    P4C=p4c-bm2-ss SIMPLE_SWITCH=simple_switch SIMPLE_SWITCH_CLI=simple_switch_CLI \\
        scripts/bmv2-record.py [--check] [--only NAME] [FILE...]

The programs are those in PATH if the variables are not set. `--check` writes nothing and lists the cases whose outputs
differ from the recorded ones. `--program NAME` prints the program of one case. Needs Linux, the right to make network
namespaces, and Python's standard library.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "crates/p4-v1model/tests/bmv2"

#: Ports of the switch.
PORTS = 8
#: The 14 bytes that `~` stands for.
START = "000102030405060708090a0b0c0d"
#: An output is complete when the switch has been idle, and no packet has come, in this many looks, so many seconds apart.
CALM = 6
STEP = 0.01
#: A compiler that ends with this code cannot translate the program; the case stays as it is.
CANNOT = 3
#: Seconds that a program may take to start.
PATIENCE = 20.0

#: Lines of a case that are no slots.
NOTES = ("differs", "p4c")
STEPS = ("$", "=", "<", "+", ">", "!", "wait", "log")


class Broken(Exception):
    """A file or an answer that cannot be understood."""


@dataclass
class Case:
    """A case: the text before its steps, the slots that it fills, and the steps that are input."""

    name: str
    head: list[str] = field(default_factory=list)
    slots: dict[str, str] = field(default_factory=dict)
    steps: list[str] = field(default_factory=list)
    recorded: list[str] = field(default_factory=list)


def is_step(line: str) -> bool:
    """Whether a line is a step or a recorded result."""
    return line.split(" ", 1)[0] in STEPS


def read_cases(path: Path) -> tuple[list[str], list[Case]]:
    """The lines before the first case, and the cases."""
    preamble: list[str] = []
    cases: list[Case] = []
    slot = None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        line = line.rstrip()
        if line.startswith("case "):
            cases.append(Case(line[5:].strip()))
            slot = None
        elif not cases:
            preamble.append(line)
        elif not line or line.startswith("#"):
            if line:
                cases[-1].head.append(line)
        elif is_step(line):
            slot = None
            cases[-1].recorded.append(line)
            if line[0] in "$<+" or line.startswith("wait"):
                cases[-1].steps.append(line)
        elif line.startswith("    ") and slot:
            cases[-1].head.append(line)
            cases[-1].slots[slot] += line[4:] + "\n"
        else:
            named = re.fullmatch(r"([a-z0-9_]+):(?: (.*))?", line)
            if not named:
                raise Broken(f"{path}:{number}: neither a slot nor a step: {line}")
            cases[-1].head.append(line)
            slot = named[1]
            cases[-1].slots[slot] = (named[2] or "") + "\n"
    return preamble, cases


def program(case: Case) -> str:
    """The P4 program of a case: the base with its slots filled."""
    slots = {name: text for name, text in case.slots.items() if name not in NOTES}
    lines = []
    for line in (FOLDER / "base.p4").read_text().splitlines():
        marker = re.fullmatch(r"\s*@([a-z_]+)(?: (.*))?", line)
        lines.append(slots.pop(marker[1], marker[2] or "").rstrip("\n") if marker else line)
    if slots:
        raise Broken(f"{case.name}: no such slot: {', '.join(slots)}")
    return "\n".join(lines) + "\n"


class Wires:
    """Raw sockets at the far ends of the switch's veth devices."""

    def __init__(self) -> None:
        self.sockets = {}
        for port in range(PORTS):
            run("ip", "link", "add", f"sw{port}", "type", "veth", "peer", "name", f"far{port}")
            for name in (f"sw{port}", f"far{port}"):
                Path(f"/proc/sys/net/ipv6/conf/{name}/disable_ipv6").write_text("1")
                run("ip", "link", "set", name, "mtu", "9000", "up")
            wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
            wire.setsockopt(263, 23, 1)  # SOL_PACKET, PACKET_IGNORE_OUTGOING
            wire.bind((f"far{port}", 0))
            self.sockets[wire.fileno()] = (port, wire)

    def send(self, port: int, frame: bytes) -> None:
        """Sends a frame to the switch."""
        for number, wire in self.sockets.values():
            if number == port:
                wire.send(frame)

    def collect(self, at_least: float, switch: Switch | None) -> list[tuple[int, bytes]]:
        """Frames that come out within a time and until the switch is idle; sorted by port."""
        found = []
        end = time.monotonic() + at_least
        calm = 0
        while calm < CALM or time.monotonic() < end:
            ready = select.select(list(self.sockets), [], [], STEP)[0]
            for number in ready:
                port, wire = self.sockets[number]
                found.append((port, wire.recv(65535)))
            calm = 0 if ready or switch and not switch.idle() else calm + 1
        return sorted(found, key=lambda item: item[0])


def run(*command: str) -> None:
    """Runs a command that must succeed."""
    subprocess.run(command, check=True)


class Shell:
    """A running `simple_switch_CLI`."""

    PROMPT = "RuntimeCmd: "

    def __init__(self, command: str, thrift: int) -> None:
        self.process = subprocess.Popen(
            [command, "--thrift-port", str(thrift)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )
        self.read()

    def read(self) -> str:
        """The output until the next prompt."""
        text = ""
        while not text.endswith(self.PROMPT):
            ready = select.select([self.process.stdout], [], [], PATIENCE)[0]
            more = os.read(self.process.stdout.fileno(), 65536).decode() if ready else ""
            if not more:
                raise Broken(f"simple_switch_CLI ended: {text}")
            text += more
        return text[: -len(self.PROMPT)]

    def ask(self, line: str) -> str:
        """The answer to a command, in the words of the files."""
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()
        return answer(line.split()[0], self.read())

    def end(self) -> None:
        """Ends the shell."""
        self.process.stdin.close()
        self.process.kill()
        self.process.wait()


def answer(command: str, text: str) -> str:
    """What `simple_switch_CLI` said, in the words of the files."""
    if re.search(r"error|invalid|unknown|does not|exception|cannot", text, re.IGNORECASE):
        return "refused"
    if match := re.search(r"handle\s+(?:is\s+)?(\d+)", text):
        created = command.endswith("_add") or "create" in command or "_add_" in command
        return match[1] if created and command not in ("act_prof_add_member_to_group",) else "done"
    if command == "register_read" and (match := re.search(r"=\s*(.+)", text)):
        return match[1].strip()
    if command == "counter_read":
        packets, octets = (re.search(pattern, text) for pattern in (r"(\d+) packets", r"(\d+) bytes"))
        if not packets or not octets:
            raise Broken(f"no counter: {text}")
        return f"packets={packets[1]}, bytes={octets[1]}"
    if command == "table_num_entries":
        return text.strip().splitlines()[-1].strip()
    return "done"


class Switch:
    """A running `simple_switch`."""

    def __init__(self, tools: Tools, config: Path, folder: Path, thrift: int) -> None:
        self.log = folder / "log.txt"
        devices = [word for port in range(PORTS) for word in ("-i", f"{port}@sw{port}")]
        self.process = subprocess.Popen(
            [tools.switch, *devices, "--thrift-port", str(thrift), "--log-file", str(folder / "log"), "--log-flush",
             str(config), "--", "--priority-queues", "8"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder,
        )
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self.process.poll() is None:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", thrift)) == 0:
                    return
            time.sleep(0.02)

    def taken(self) -> int:
        """Number of packets that ingress has taken so far."""
        text = self.log.read_text(errors="replace") if self.log.exists() else ""
        return text.count("Processing packet received on port")

    def wait_for(self, packets: int) -> None:
        """Waits until ingress has taken so many packets."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self.alive() and self.taken() < packets:
            time.sleep(STEP)

    def idle(self) -> bool:
        """Whether all its threads sleep."""
        states = []
        for thread in Path(f"/proc/{self.process.pid}/task").glob("*/stat"):
            try:
                states.append(thread.read_text().rpartition(")")[2].split()[0])
            except OSError:
                continue  # it has just ended
        return all(state in "SZX" for state in states)

    def alive(self) -> bool:
        """Whether it still runs."""
        return self.process.poll() is None

    def messages(self) -> list[str]:
        """What the program logged, by `log_msg` with a text that starts with `LOG `."""
        text = self.log.read_text(errors="replace") if self.log.exists() else ""
        # In front of it stands the thread; lines on the program's text have it in quotation marks.
        return re.findall(r"\] LOG (.*)", text)

    def ends(self) -> bool:
        """Whether it ends by itself in the next seconds."""
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            return False
        return True

    def end(self) -> None:
        """Ends the switch."""
        if self.alive():
            self.process.send_signal(signal.SIGKILL)
        self.process.wait()


@dataclass
class Tools:
    """The programs that are driven."""

    p4c: str
    switch: str
    shell: str

    @staticmethod
    def find() -> Tools:
        """Those of the environment, or in PATH."""
        found = []
        for variable, name in (("P4C", "p4c-bm2-ss"), ("SIMPLE_SWITCH", "simple_switch"),
                               ("SIMPLE_SWITCH_CLI", "simple_switch_CLI")):
            path = shutil.which(os.environ.get(variable, name))
            if not path:
                sys.exit(f"{name} must be in PATH, or named by {variable}")
            found.append(path)
        return Tools(*found)

    def versions(self) -> str:
        """The versions of switch and compiler."""
        def first(*command: str) -> str:
            out = subprocess.run(command, capture_output=True, text=True).stdout
            return next((word for word in out.split() if re.match(r"\d+\.\d+", word)), "unknown")
        compiler = Path(self.p4c).name
        return f"simple_switch {first(self.switch, '--version')}; compiled by {compiler} {first(self.p4c, '--version')}"


def octets(text: str) -> bytes:
    """The bytes of a packet as the files write it."""
    return bytes.fromhex(text.replace("~", START).replace(" ", ""))


def shown(frame: bytes) -> str:
    """A packet as the files write it."""
    text = frame.hex()
    return f"~ {text[len(START):]}".rstrip() if text.startswith(START) else text


def record(case: Case, tools: Tools, wires: Wires, thrift: int) -> list[str]:
    """Runs a case; gives its steps with results."""
    if "p4c" in case.slots and Path(tools.p4c).name.startswith("p4c"):
        return case.recorded
    with tempfile.TemporaryDirectory(prefix="bmv2-record") as name:
        folder = Path(name)
        source, config = folder / "case.p4", folder / "case.json"
        source.write_text(program(case))
        compiled = subprocess.run([tools.p4c, "--std", "p4-16", "-o", str(config), str(source)],
                                  capture_output=True, text=True)
        if compiled.returncode == CANNOT:
            if os.environ.get("VERBOSE"):
                print(case.name, compiled.stderr, file=sys.stderr)
            return case.recorded
        if compiled.returncode != 0:
            if os.environ.get("VERBOSE"):
                print(case.name, compiled.stderr, file=sys.stderr)
            return [*case.steps, "! p4c refuses the program"]
        wires.collect(0, None)
        switch = Switch(tools, config, folder, thrift)
        try:
            if not switch.alive():
                return [*case.steps, "! simple_switch refuses the program"]
            return run_steps(case, switch, tools, wires, thrift)
        finally:
            switch.end()


def run_steps(case: Case, switch: Switch, tools: Tools, wires: Wires, thrift: int) -> list[str]:
    """Runs the steps of a case on a running switch."""
    lines: list[str] = []
    logged = sent = 0
    waiting = False
    shell = Shell(tools.shell, thrift) if any(step[0] == "$" for step in case.steps) else None
    time.sleep(0.05)
    try:
        for step in case.steps:
            lines.append(step)
            word, _, rest = step.partition(" ")
            if word == "$":
                try:
                    lines.append(f"= {shell.ask(rest)}")
                except Broken:
                    if not switch.ends():
                        raise
                    lines.append("! simple_switch ends")
                    break
                continue
            at_least = 0.0
            if word == "wait":
                at_least = int(rest) / 1000
                waiting = False
            else:
                port, _, data = rest.partition(" ")
                before = switch.taken()
                wires.send(int(port), octets(data))
                sent = before + 1 if not waiting else sent + 1
                waiting = word == "+"
                if not waiting:
                    switch.wait_for(sent)
            if word == "+":
                continue
            lines += [f"> {port} {shown(frame)}" for port, frame in wires.collect(at_least, switch)]
            messages = switch.messages()
            lines += [f"log {message}" for message in messages[logged:]]
            logged = len(messages)
            if not switch.alive():
                lines.append("! simple_switch ends")
                break
    finally:
        if shell:
            shell.end()
    return lines


def write(path: Path, preamble: list[str], cases: list[Case]) -> None:
    """Writes a file back."""
    text = list(preamble)
    while text and not text[-1]:
        text.pop()
    for case in cases:
        text += ["", f"case {case.name}", *case.head, *case.recorded]
    path.write_text("\n".join(text) + "\n")


def isolated() -> None:
    """Enters a network namespace of its own."""
    if ctypes.CDLL(None, use_errno=True).unshare(0x40000000) != 0:
        sys.exit(f"a network namespace must be allowed: {os.strerror(ctypes.get_errno())}")
    run("ip", "link", "set", "lo", "up")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare only")
    parser.add_argument("--only", metavar="NAME", help="cases whose names contain this")
    parser.add_argument("--new", action="store_true", help="cases without results")
    parser.add_argument("--program", metavar="NAME", help="print the program of a case")
    parser.add_argument("files", nargs="*", type=Path)
    arguments = parser.parse_args()
    files = arguments.files or sorted(FOLDER.glob("*.cases"))
    if arguments.program:
        for path in files:
            for case in read_cases(path)[1]:
                if case.name == arguments.program:
                    print(program(case), end="")
        return 0
    tools = Tools.find()
    isolated()
    wires = Wires()
    differences, thrift = 0, 9090
    for path in files:
        preamble, cases = read_cases(path)
        for case in cases:
            results = [line for line in case.recorded if line not in case.steps]
            if arguments.only and arguments.only not in case.name or arguments.new and results:
                continue
            lines = record(case, tools, wires, thrift)
            if lines == case.recorded:
                continue
            differences += 1
            print(f"{path.name}: {case.name}", flush=True)
            if arguments.check:
                print("  was " + "\n      ".join(case.recorded), "  now " + "\n      ".join(lines), sep="\n")
            case.recorded = lines
        if not arguments.check:
            head = [line for line in preamble if not line.startswith("recorded:")]
            while head and not head[-1]:
                head.pop()
            write(path, [*head, f"recorded: {tools.versions()}"], cases)
    print(f"{differences} cases differ" if arguments.check else f"{differences} cases changed")
    return 1 if arguments.check and differences else 0


if __name__ == "__main__":
    sys.exit(main())
