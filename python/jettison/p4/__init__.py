"""Controllers of P4 switches, called in virtual time.

A controller has the operations of P4Runtime on the scenario's nodes of kind ``p4``, by names instead of ids::

    class Learning:
        def start(self, network):
            self.switch = network["s1"]
            self.switch.digest("learn_t").enable(max_list=1)
            self.switch.multicast(1, network["s1"].ports.values())

        def on_digest(self, switch, digest):
            for message in digest.messages:
                table = switch.table("dmac")
                table.insert({"dst": message["src"]}, "forward", port=message["port"])
            digest.acknowledge()

    jettison.run(scenario, controller=Learning())

All methods are optional:

- ``start(network)``: before the first packet.
- ``on_digest(switch, digest)``: a list of a digest's messages (:class:`Digest`). Enable the digest first.
- ``on_packet_in(switch, packet)``: a packet that the program sent to the CPU port (:class:`PacketIn`).
- ``on_idle_timeout(switch, entries)``: entries that were not hit for their ``idle_timeout``.
- ``on_timer(network, now)``: every ``period``, such as ``period = "100 ms"``; other timers by :meth:`Network.every` and
  :meth:`Network.at`.

Times are integers, in nanoseconds since the start of the run; durations may also be text such as ``"5 ms"``. Values are integers,
``bytes``, or text: ``"10.0.0.1"``, ``"2001:db8::1"``, ``"00:00:00:00:00:01"``, ``"0x1f"``.

The control channel takes no time, unless the controller has an attribute ``latency``, the time of each way: then notices reach the
controller, and its changes and packets the switch, so much later; a change that the switch refuses ends the run instead of raising
its error at the call. Reads show the state at the call in any case. Packets that a controller sends enter the switch when its method
returns.

Every run gets a deep copy of the object, so runs do not depend on each other and equal seeds give equal runs, as long as the class
uses no clock and no randomness of its own. A fork of a run gets a deep copy of the run's; callbacks of timers should
therefore be methods of the controller, not closures. A class with ``forkable = False`` forbids forks.
"""

from __future__ import annotations

from jettison.p4.controller import P4Controller
from jettison.p4.network import Network, Timer
from jettison.p4.notices import Digest, PacketIn
from jettison.p4.switch import (
    Counter,
    CounterValue,
    DigestSettings,
    Entry,
    MatchTable,
    Meter,
    Profile,
    Rates,
    Register,
    Switch,
    ValueSet,
)
from jettison.p4.values import Criterion, Value

__all__ = [
    "Counter",
    "CounterValue",
    "Criterion",
    "Digest",
    "DigestSettings",
    "Entry",
    "MatchTable",
    "Meter",
    "Network",
    "P4Controller",
    "PacketIn",
    "Profile",
    "Rates",
    "Register",
    "Switch",
    "Timer",
    "Value",
    "ValueSet",
]
