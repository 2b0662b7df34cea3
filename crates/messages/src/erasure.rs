//! A systematic Reed-Solomon code over packets: any n of n + k packets determine the n data packets.
//!
//! Parity packet i is the sum over data packets j of D_j / (x_i + y_j) with x_i = n + i and y_j = j in GF(2^16), a
//! Cauchy matrix (Blömer et al. 1995). Every square submatrix is regular, so as many parity packets as there are
//! missing data packets determine them. n + k is at most 65,536. Shorter packets are padded with zeros.

use super::field::{add_multiple, inverse, multiply};

/// The coefficient of data packet `data` in parity packet `parity` of a message of `count` data packets.
pub(super) fn coefficient(count: u32, parity: u32, data: u32) -> u16 {
    let (x, y) = ((count + parity) as u16, data as u16);
    // Subtraction is addition is XOR; x and y are never equal.
    inverse(x ^ y).unwrap_or(0)
}

/// Computes the data packets `missing`, each of `length` bytes (even), from as many parity packets.
///
/// `sums` are the parity packets minus the contributions of the received data packets. `None` if they do not determine
/// the missing ones, which cannot happen for distinct packets.
pub(super) fn solve(count: u32, missing: &[u32], mut sums: Vec<(u32, Vec<u8>)>) -> Option<Vec<Vec<u8>>> {
    let size = missing.len();
    if sums.len() < size {
        return None;
    }
    sums.truncate(size);
    // The inverse of a Cauchy matrix has a closed form (Blömer et al. 1995): in the row of y_j and the column of x_i,
    // a_i b_j / (x_i + y_j), with a_i the product of all x_i + y_k over that of all x_i + x_k, k other than i, and b_j
    // correspondingly. So the work is quadratic, as is that of the sums themselves.
    let x: Vec<u16> = sums.iter().map(|(parity, _)| (count + parity) as u16).collect();
    let y: Vec<u16> = missing.iter().map(|data| *data as u16).collect();
    let a = factors(&x, &y)?;
    let b = factors(&y, &x)?;
    let length = sums.iter().map(|(_, sum)| sum.len()).max().unwrap_or(0);
    let mut found = Vec::with_capacity(size);
    for (y, b) in y.iter().zip(&b) {
        let mut data = vec![0; length];
        for ((x, a), (_, sum)) in x.iter().zip(&a).zip(&sums) {
            add_multiple(&mut data, sum, multiply(multiply(*a, *b), inverse(x ^ y)?));
        }
        found.push(data);
    }
    Some(found)
}

/// For each of `ours`: the product of its sums with `theirs`, over the product of its sums with the others of `ours`.
/// `None` if they are not distinct.
fn factors(ours: &[u16], theirs: &[u16]) -> Option<Vec<u16>> {
    let factor = |(at, own): (usize, &u16)| {
        let above = theirs.iter().fold(1, |product, other| multiply(product, own ^ other));
        let others = ours.iter().enumerate().filter(|(other, _)| *other != at);
        let below = others.fold(1, |product, (_, other)| multiply(product, own ^ other));
        Some(multiply(above, inverse(below)?))
    };
    ours.iter().enumerate().map(factor).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
        #[test]
        fn any_n_of_n_and_k_packets_determine_the_data(
            data in prop::collection::vec(prop::collection::vec(any::<u8>(), 8), 1..40),
            parities in 1usize..20, order in any::<prop::sample::Selector>(),
        ) {
            let count = data.len() as u32;
            let parity: Vec<Vec<u8>> = (0..parities as u32)
                .map(|i| {
                    let mut sum = vec![0; 8];
                    for (j, packet) in data.iter().enumerate() {
                        add_multiple(&mut sum, packet, coefficient(count, i, j as u32));
                    }
                    sum
                })
                .collect();
            // Lose as many packets as there are parity packets, of either kind.
            let mut left: Vec<usize> = (0..data.len() + parities).collect();
            for _ in 0..parities {
                let gone = *order.select(left.iter());
                left.retain(|at| *at != gone);
            }
            let missing: Vec<u32> = (0..count).filter(|j| !left.contains(&(*j as usize))).collect();
            let sums = left.iter().filter(|at| **at >= data.len()).map(|at| {
                let i = at - data.len();
                let mut sum = parity[i].clone();
                for j in left.iter().filter(|at| **at < data.len()) {
                    add_multiple(&mut sum, &data[*j], coefficient(count, i as u32, *j as u32));
                }
                (i as u32, sum)
            });
            let found = solve(count, &missing, sums.collect()).expect("enough of them");
            for (j, packet) in missing.iter().zip(found) {
                prop_assert_eq!(&packet, &data[*j as usize]);
            }
        }
    }

    #[test]
    fn too_few_parity_packets_determine_nothing() {
        assert_eq!(solve(5, &[0, 1], vec![(0, vec![0; 4])]), None);
    }
}
