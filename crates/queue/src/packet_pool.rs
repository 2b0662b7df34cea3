//! Common packet store for many queues.

use jettison_core::Time;
use jettison_wire::Packet;

use crate::{Backlog, CodelStore};

/// Index of no node: the end of a chain.
const NONE: u32 = u32::MAX;

/// The packets of many [`Chain`]s in one slab. Once the slab has grown to the peak backlog, packets need no allocation;
/// an idle queue needs no memory.
#[derive(Debug, Clone)]
pub struct PacketPool {
    nodes: Vec<Node>,
    /// Head of the free list, linked by `next`.
    free: u32,
}

#[derive(Debug, Clone)]
struct Node {
    packet: Option<Packet>,
    next: u32,
    previous: u32,
}

/// A FIFO queue of packets in a [`PacketPool`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    head: u32,
    tail: u32,
    backlog: Backlog,
}

impl Default for Chain {
    fn default() -> Chain {
        Chain { head: NONE, tail: NONE, backlog: Backlog::default() }
    }
}

impl Chain {
    /// The current backlog.
    #[inline]
    pub fn backlog(&self) -> Backlog {
        self.backlog
    }

    /// Whether the chain is empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.head == NONE
    }

    /// Node of the newest packet, by which [`PacketPool::remove`] finds it as long as it is in the pool.
    #[inline]
    pub fn newest(&self) -> u32 {
        self.tail
    }
}

impl Default for PacketPool {
    fn default() -> PacketPool {
        PacketPool { nodes: Vec::new(), free: NONE }
    }
}

impl PacketPool {
    /// Appends a packet to a chain; stamps its arrival time and `depth`, the number of packets in front of it.
    #[inline]
    pub fn push(&mut self, chain: &mut Chain, packet: Packet, depth: u64, now: Time) {
        chain.backlog.packets += 1;
        chain.backlog.bytes += u64::from(packet.meta.length);
        let new = self.free;
        let node = if new == NONE {
            self.nodes.push(Node { packet: Some(packet), next: NONE, previous: chain.tail });
            let new = (self.nodes.len() - 1) as u32;
            self.append(chain, new);
            &mut self.nodes[new as usize]
        } else {
            let node = &mut self.nodes[new as usize];
            self.free = node.next;
            node.packet = Some(packet);
            node.next = NONE;
            node.previous = chain.tail;
            self.append(chain, new);
            &mut self.nodes[new as usize]
        };
        // Stamped after the move into the slab: a narrow store followed by a wide load of the same bytes would stall.
        if let Some(packet) = &mut node.packet {
            packet.meta.enqueued_at = now;
            packet.meta.enq_qdepth = depth as u32;
        }
    }

    #[inline]
    fn append(&mut self, chain: &mut Chain, new: u32) {
        match chain.tail {
            NONE => chain.head = new,
            tail => self.nodes[tail as usize].next = new,
        }
        chain.tail = new;
    }

    /// Removes the oldest packet of a chain.
    #[inline]
    pub fn pop(&mut self, chain: &mut Chain) -> Option<Packet> {
        let at = chain.head;
        let node = self.nodes.get_mut(at as usize)?;
        chain.head = node.next;
        node.next = self.free;
        self.free = at;
        let packet = node.packet.take();
        match chain.head {
            NONE => chain.tail = NONE,
            head => self.nodes[head as usize].previous = NONE,
        }
        chain.took(packet)
    }

    /// Removes the newest packet of a chain.
    pub fn pop_newest(&mut self, chain: &mut Chain) -> Option<Packet> {
        let at = chain.tail;
        let node = self.nodes.get_mut(at as usize)?;
        chain.tail = node.previous;
        node.next = self.free;
        self.free = at;
        let packet = node.packet.take();
        match chain.tail {
            NONE => chain.head = NONE,
            tail => self.nodes[tail as usize].next = NONE,
        }
        chain.took(packet)
    }

    /// Removes the packet of a node from the chain that it is in.
    pub fn remove(&mut self, chain: &mut Chain, node: u32) -> Option<Packet> {
        let at = node;
        let node = self.nodes.get_mut(at as usize)?;
        let packet = node.packet.take()?;
        let (previous, next) = (node.previous, node.next);
        node.next = self.free;
        self.free = at;
        match previous {
            NONE => chain.head = next,
            previous => self.nodes[previous as usize].next = next,
        }
        match next {
            NONE => chain.tail = previous,
            next => self.nodes[next as usize].previous = previous,
        }
        chain.took(Some(packet))
    }

    /// The packet of a node.
    #[inline]
    pub fn at(&self, node: u32) -> Option<&Packet> {
        self.nodes.get(node as usize)?.packet.as_ref()
    }

    /// The oldest packet of a chain.
    #[inline]
    pub fn head(&self, chain: &Chain) -> Option<&Packet> {
        self.nodes.get(chain.head as usize)?.packet.as_ref()
    }

    /// Moves the oldest packet of a chain to the end of another; its metadata is unchanged.
    pub fn move_oldest(&mut self, from: &mut Chain, to: &mut Chain) {
        let at = from.head;
        let Some(node) = self.nodes.get_mut(at as usize) else { return };
        let length = node.packet.as_ref().map_or(0, |packet| u64::from(packet.meta.length));
        from.head = node.next;
        node.next = NONE;
        node.previous = to.tail;
        match from.head {
            NONE => from.tail = NONE,
            head => self.nodes[head as usize].previous = NONE,
        }
        from.backlog = Backlog { packets: from.backlog.packets - 1, bytes: from.backlog.bytes - length };
        to.backlog = Backlog { packets: to.backlog.packets + 1, bytes: to.backlog.bytes + length };
        self.append(to, at);
    }

    /// A chain's packets with their nodes, oldest first.
    pub fn nodes<'a>(&'a self, chain: &Chain) -> impl Iterator<Item = (u32, &'a Packet)> {
        let mut next = chain.head;
        std::iter::from_fn(move || {
            let at = next;
            let node = self.nodes.get(at as usize)?;
            next = node.next;
            Some((at, node.packet.as_ref()?))
        })
    }

    /// A chain's packets, oldest first.
    #[cfg(test)]
    pub fn iter<'a>(&'a self, chain: &Chain) -> impl Iterator<Item = &'a Packet> {
        self.nodes(chain).map(|(_, packet)| packet)
    }
}

impl Chain {
    #[inline]
    fn took(&mut self, packet: Option<Packet>) -> Option<Packet> {
        if let Some(packet) = &packet {
            self.backlog.packets -= 1;
            self.backlog.bytes -= u64::from(packet.meta.length);
        }
        packet
    }
}

/// A chain as a [`CodelStore`]: packets that CoDel removes are also subtracted from a total.
pub(crate) struct Counted<'a> {
    pub pool: &'a mut PacketPool,
    pub chain: &'a mut Chain,
    /// Total backlog of all chains.
    pub total: &'a mut Backlog,
    /// Backlog that CoDel compares with MAXPACKET.
    pub standing: Standing,
}

/// Backlog that CoDel compares with MAXPACKET.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// The backlog of the chain.
    Own,
    /// The total backlog of all chains (RFC 8289 §4.4).
    All,
}

impl CodelStore for Counted<'_> {
    #[inline]
    fn pop(&mut self) -> Option<Packet> {
        let packet = self.pool.pop(self.chain)?;
        self.total.packets -= 1;
        self.total.bytes -= u64::from(packet.meta.length);
        Some(packet)
    }
    #[inline]
    fn bytes(&self) -> u64 {
        match self.standing {
            Standing::Own => self.chain.backlog().bytes,
            Standing::All => self.total.bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::packet;

    fn ids(pool: &PacketPool, chain: &Chain) -> Vec<u32> {
        pool.iter(chain).map(|packet| packet.meta.id).collect()
    }

    #[test]
    fn chains_keep_their_order_and_free_nodes_are_reused() {
        let (mut pool, mut a, mut b) = (PacketPool::default(), Chain::default(), Chain::default());
        for id in 0..6 {
            let chain = if id % 2 == 0 { &mut a } else { &mut b };
            pool.push(chain, packet(id, 100 + id as u16), u64::from(id), Time::from_millis(3));
        }
        assert_eq!((ids(&pool, &a), ids(&pool, &b)), (vec![0, 2, 4], vec![1, 3, 5]));
        assert_eq!(b.backlog(), Backlog { packets: 3, bytes: 309 });
        let meta = pool.pop(&mut a).expect("three wait").meta;
        assert_eq!((meta.id, meta.enq_qdepth, meta.enqueued_at), (0, 0, Time::from_millis(3)));
        assert_eq!(pool.pop_newest(&mut b).map(|packet| packet.meta.id), Some(5));
        pool.push(&mut a, packet(6, 100), 4, Time::ZERO);
        pool.push(&mut b, packet(7, 100), 5, Time::ZERO);
        assert_eq!(pool.nodes.len(), 6);
        assert_eq!((ids(&pool, &a), ids(&pool, &b)), (vec![2, 4, 6], vec![1, 3, 7]));
    }

    #[test]
    fn a_chain_can_be_emptied_from_both_ends_and_filled_again() {
        let (mut pool, mut chain) = (PacketPool::default(), Chain::default());
        for from_newest in [true, false] {
            pool.push(&mut chain, packet(1, 100), 0, Time::ZERO);
            let popped = if from_newest { pool.pop_newest(&mut chain) } else { pool.pop(&mut chain) };
            assert_eq!(popped.map(|packet| packet.meta.id), Some(1));
            assert_eq!(chain, Chain::default());
            assert!(pool.pop(&mut chain).is_none() && pool.pop_newest(&mut chain).is_none());
        }
    }

    #[test]
    fn a_packet_leaves_from_anywhere_by_its_node() {
        for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2], [1, 2, 0]] {
            let (mut pool, mut chain) = (PacketPool::default(), Chain::default());
            let nodes = [0, 1, 2].map(|id| {
                pool.push(&mut chain, packet(id, 100 + id as u16), 0, Time::ZERO);
                chain.newest()
            });
            let mut left = vec![0, 1, 2];
            for id in order {
                assert_eq!(pool.at(nodes[id]).map(|packet| packet.meta.id), Some(id as u32));
                assert_eq!(pool.remove(&mut chain, nodes[id]).map(|packet| packet.meta.id), Some(id as u32));
                assert!(pool.remove(&mut chain, nodes[id]).is_none());
                left.retain(|other| *other != id as u32);
                assert_eq!(ids(&pool, &chain), left);
                assert_eq!(chain.backlog().packets, left.len() as u64);
            }
            assert_eq!(chain, Chain::default());
        }
    }

    #[test]
    fn a_packet_moves_between_chains_unchanged() {
        let (mut pool, mut a, mut b) = (PacketPool::default(), Chain::default(), Chain::default());
        (0..3).for_each(|id| pool.push(&mut a, packet(id, 100), 9, Time::from_millis(2)));
        pool.push(&mut b, packet(3, 50), 0, Time::ZERO);
        (0..3).for_each(|_| pool.move_oldest(&mut a, &mut b));
        pool.move_oldest(&mut a, &mut b);
        assert_eq!((a, ids(&pool, &b)), (Chain::default(), vec![3, 0, 1, 2]));
        assert_eq!(b.backlog(), Backlog { packets: 4, bytes: 350 });
        pool.pop_newest(&mut b);
        assert_eq!(ids(&pool, &b), vec![3, 0, 1]);
        assert!(pool.iter(&b).skip(1).all(|packet| packet.meta.enq_qdepth == 9));
    }
}
