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
    let mut matrix: Vec<Vec<u16>> = sums
        .iter()
        .map(|(parity, _)| missing.iter().map(|data| coefficient(count, *parity, *data)).collect())
        .collect();
    let mut sums: Vec<Vec<u8>> = sums.into_iter().map(|(_, sum)| sum).collect();
    // Gauss–Jordan. The leading submatrices of a Cauchy matrix are regular, so no pivot is zero.
    for pivot in 0..size {
        let scale = inverse(matrix[pivot][pivot])?;
        for value in &mut matrix[pivot] {
            *value = multiply(*value, scale);
        }
        let mut scaled = vec![0; sums[pivot].len()];
        add_multiple(&mut scaled, &sums[pivot], scale);
        sums[pivot] = scaled;
        for row in (0..size).filter(|row| *row != pivot) {
            let factor = matrix[row][pivot];
            if let Ok([target, source]) = matrix.get_disjoint_mut([row, pivot]) {
                for (value, of_pivot) in target.iter_mut().zip(source) {
                    *value ^= multiply(*of_pivot, factor);
                }
            }
            if let Ok([target, source]) = sums.get_disjoint_mut([row, pivot]) {
                add_multiple(target, source, factor);
            }
        }
    }
    Some(sums)
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
