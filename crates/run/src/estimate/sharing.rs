//! Shares of links: datagrams take what they send, and the flows that adapt share the rest evenly (max-min).

/// Flows of one kind on one path, in one slot of time.
#[derive(Clone)]
pub(super) struct Group<'a> {
    /// Number of flows; a fraction where some are active in a part of the slot.
    pub flows: f64,
    /// Links of the path by index, with wire bits per payload bit on each.
    pub path: &'a [(usize, f64)],
    /// Wanted payload bits per second of each flow, given its fair share.
    pub wanted: &'a dyn Fn(f64) -> f64,
    /// Whether it adapts to the path.
    pub adapts: bool,
}

/// Payload rate of each flow of a group: as sent, and as it leaves each link of the path.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Share {
    pub sent: f64,
    pub carried: Vec<f64>,
}

/// Shares the links of `capacity` bits per second among the groups.
pub(super) fn shares(groups: &[Group<'_>], capacity: &[f64]) -> Vec<Share> {
    let mut left = capacity.to_vec();
    let mut shares: Vec<Share> =
        groups.iter().map(|group| Share { sent: 0.0, carried: vec![0.0; group.path.len()] }).collect();
    datagrams(groups, &mut left, &mut shares);
    adaptive(groups, &mut left, &mut shares);
    shares
}

/// Datagrams lose in proportion what a link cannot carry.
fn datagrams(groups: &[Group<'_>], left: &mut [f64], shares: &mut [Share]) {
    let depth = groups.iter().map(|group| group.path.len()).max().unwrap_or(0);
    let mut rates: Vec<f64> =
        groups.iter().map(|group| if group.adapts { 0.0 } else { (group.wanted)(f64::INFINITY) }).collect();
    for (share, rate) in shares.iter_mut().zip(&rates) {
        share.sent = *rate;
    }
    // Hop by hop: an approximation where paths of different lengths meet.
    for hop in 0..depth {
        let mut offered = vec![0.0; left.len()];
        for (group, rate) in groups.iter().zip(&rates) {
            if let Some((link, factor)) = group.path.get(hop) {
                offered[*link] += group.flows * rate * factor;
            }
        }
        let passed: Vec<f64> = offered
            .iter()
            .zip(&*left)
            .map(|(offered, left)| if offered > left { left / offered } else { 1.0 })
            .collect();
        for ((group, rate), share) in groups.iter().zip(&mut rates).zip(&mut *shares) {
            if let Some((link, _)) = group.path.get(hop).filter(|_| !group.adapts) {
                *rate *= passed[*link];
                share.carried[hop] = *rate;
            }
        }
        for (link, offered) in offered.iter().enumerate() {
            left[link] -= offered * passed[link];
        }
    }
}

/// Max-min fairness by progressive filling: the flows of the link with the smallest share are settled first.
fn adaptive(groups: &[Group<'_>], left: &mut [f64], shares: &mut [Share]) {
    let mut open: Vec<usize> =
        (0..groups.len()).filter(|at| groups[*at].adapts && groups[*at].flows > 0.0).collect();
    while !open.is_empty() {
        let mut load = vec![0.0; left.len()];
        for at in &open {
            for (link, factor) in groups[*at].path {
                load[*link] += groups[*at].flows * factor;
            }
        }
        let of = |at: usize| -> f64 {
            let share = |(link, _): &(usize, f64)| left[*link].max(0.0) / load[*link];
            groups[at].path.iter().map(share).fold(f64::INFINITY, f64::min)
        };
        // Those that want less than their share first, since the others share what they leave.
        let modest: Vec<usize> =
            open.iter().copied().filter(|at| (groups[*at].wanted)(of(*at)) < of(*at) * 0.999).collect();
        let settled: Vec<(usize, f64)> = if modest.is_empty() {
            let least = open.iter().map(|at| of(*at)).fold(f64::INFINITY, f64::min);
            let bound = open.iter().copied().filter(|at| of(*at) <= least * 1.001);
            bound.map(|at| (at, of(at))).collect()
        } else {
            modest.iter().map(|at| (*at, (groups[*at].wanted)(of(*at)))).collect()
        };
        for (at, rate) in settled {
            let rate = if rate.is_finite() { rate } else { 0.0 };
            shares[at] = Share { sent: rate, carried: vec![rate; groups[at].path.len()] };
            for (link, factor) in groups[at].path {
                left[*link] -= groups[at].flows * rate * factor;
            }
            open.retain(|other| *other != at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: &dyn Fn(f64) -> f64 = &|share| share;

    #[test]
    fn links_are_shared_by_max_min_fairness() {
        // Two flows over both links, one over each alone: 10 and 4 Mbit/s.
        let both = Group { flows: 2.0, path: &[(0, 1.0), (1, 1.0)], wanted: ALL, adapts: true };
        let first = Group { flows: 1.0, path: &[(0, 1.0)], ..both.clone() };
        let second = Group { flows: 2.0, path: &[(1, 1.0)], ..both.clone() };
        let sent: Vec<f64> =
            shares(&[both, first, second], &[10.0, 4.0]).iter().map(|share| share.sent).collect();
        assert_eq!(sent, [1.0, 8.0, 1.0]);
    }

    #[test]
    fn what_one_flow_leaves_the_others_take() {
        let modest = Group { flows: 1.0, path: &[(0, 1.0)], wanted: &|share| share.min(1.0), adapts: true };
        let greedy = Group { flows: 3.0, wanted: ALL, ..modest.clone() };
        let sent: Vec<f64> = shares(&[modest, greedy], &[10.0]).iter().map(|share| share.sent).collect();
        assert_eq!(sent, [1.0, 3.0]);
    }

    #[test]
    fn datagrams_come_first_and_lose_the_excess() {
        let flood = Group { flows: 2.0, path: &[(0, 1.0), (1, 1.0)], wanted: &|_| 6.0, adapts: false };
        let tcp = Group { flows: 1.0, path: &[(1, 1.0)], wanted: ALL, adapts: true };
        let [flood, tcp] = &shares(&[flood, tcp], &[100.0, 8.0])[..] else { panic!("two shares") };
        assert_eq!((flood.sent, flood.carried.clone()), (6.0, vec![6.0, 4.0]));
        assert_eq!(tcp.sent, 0.0);
    }
}
