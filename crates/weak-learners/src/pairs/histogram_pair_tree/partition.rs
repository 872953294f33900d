//! The partition of the rows of a node.

#[cfg(target_arch = "x86_64")]
use pulp::x86::V4;

/// The side of the rows with these codes.
#[derive(Debug, Clone, Copy)]
pub(super) struct CodeRange {
    pub(super) start: u8,
    pub(super) count: usize,
    /// Whether they are below the cut; the other rows are on the other side.
    pub(super) is_below: bool,
}

impl CodeRange {
    fn has_below(self, code: u8) -> bool {
        (usize::from(code.wrapping_sub(self.start)) < self.count) == self.is_below
    }
}

/// Writes the rows below a cut to the front of `to`, and the others to its end in reverse; returns the number
/// below. Row i has the byte i·step.
pub(super) fn part_by_code(
    from: &[u32],
    to: &mut [u32],
    (bytes, step): (&[u8], usize),
    codes: CodeRange,
) -> usize {
    #[cfg(target_arch = "x86_64")]
    if from.len() >= WORTHWHILE
        && codes.count > 0
        && let Some(simd) = V4::try_new()
    {
        return match step {
            1 => part_by_64(
                simd,
                from,
                to,
                codes,
                #[inline(always)]
                |row| bytes[row as usize],
            ),
            _ => part_by_64(
                simd,
                from,
                to,
                codes,
                #[inline(always)]
                |row| bytes[row as usize * step],
            ),
        };
    }
    let mut below = [false; 256];
    (0..=u8::MAX).zip(&mut below).for_each(|(code, below)| *below = codes.has_below(code));
    part_by_table(from, to, (bytes, step), &below)
}

/// A function of its own, so that the loop has all registers.
#[inline(never)]
fn part_by_table(from: &[u32], to: &mut [u32], (bytes, step): (&[u8], usize), below: &[bool; 256]) -> usize {
    part(from, to, |row| below[usize::from(bytes[row as usize * step])])
}

/// Every row is written to both ends of the free part, and only one end advances: no branch to mispredict.
pub(in crate::pairs) fn part(from: &[u32], to: &mut [u32], is_below: impl Fn(u32) -> bool) -> usize {
    part_within(from, to, (0, from.len()), is_below)
}

fn part_within(
    from: &[u32],
    to: &mut [u32],
    (mut below, mut rest): (usize, usize),
    is_below: impl Fn(u32) -> bool,
) -> usize {
    for row in from {
        let is_below = usize::from(is_below(*row));
        to[below] = *row;
        to[rest - 1] = *row;
        below += is_below;
        rest -= 1 - is_below;
    }
    below
}

/// The number of rows from which the wide form is faster.
#[cfg(target_arch = "x86_64")]
const WORTHWHILE: usize = 256;

/// The lanes of a vector of rows.
#[cfg(target_arch = "x86_64")]
const LANES: usize = 16;

/// The same by AVX-512: the bytes of 64 rows are loaded together and compared at once, and each of four
/// vectors of rows is compressed to either side.
#[cfg(target_arch = "x86_64")]
#[allow(clippy::cast_possible_wrap, clippy::cast_possible_truncation, reason = "bits of a vector")]
fn part_by_64(
    simd: V4,
    from: &[u32],
    to: &mut [u32],
    codes: CodeRange,
    code: impl Fn(u32) -> u8 + Copy,
) -> usize {
    struct Part<'a, F> {
        simd: V4,
        from: &'a [u32],
        to: &'a mut [u32],
        codes: CodeRange,
        code: F,
    }
    impl<F: Fn(u32) -> u8 + Copy> pulp::NullaryFnOnce for Part<'_, F> {
        type Output = usize;

        #[inline(always)]
        fn call(self) -> usize {
            let Self { simd, from, to, codes, code } = self;
            let to = &mut to[..from.len()];
            // At least 16 rows are left to the plain form: a vector of rows is written to both ends of the
            // free part, as long as it has room for two.
            let (blocks, _) = from.as_chunks::<64>();
            let blocks = &blocks[..(from.len() - LANES) / 64];
            let start = simd.avx512f._mm512_set1_epi8(codes.start.cast_signed());
            let most = simd.avx512f._mm512_set1_epi8((codes.count as u8).wrapping_sub(1).cast_signed());
            let reverse = pulp::cast(std::array::from_fn::<u32, LANES, _>(|k| (LANES - 1 - k) as u32));
            let flip = if codes.is_below { 0 } else { u64::MAX };
            let (mut below, mut rest) = (0, from.len());
            for block in blocks {
                let mut read = [0_u8; 64];
                for (row, read) in block.iter().zip(&mut read) {
                    *read = code(*row);
                }
                let shifted = simd.avx512bw._mm512_sub_epi8(pulp::cast(read), start);
                let mut sides = simd.avx512bw._mm512_cmple_epu8_mask(shifted, most) ^ flip;
                let (rows, _) = block.as_chunks::<LANES>();
                for rows in rows {
                    let (side, rows) = (sides as u16, pulp::cast(*rows));
                    let of_below: [u32; LANES] =
                        pulp::cast(simd.avx512f._mm512_maskz_compress_epi32(side, rows));
                    let of_rest = simd.avx512f._mm512_maskz_compress_epi32(!side, rows);
                    let of_rest: [u32; LANES] =
                        pulp::cast(simd.avx512f._mm512_permutexvar_epi32(reverse, of_rest));
                    to[below..below + LANES].copy_from_slice(&of_below);
                    to[rest - LANES..rest].copy_from_slice(&of_rest);
                    let count = side.count_ones() as usize;
                    below += count;
                    rest -= LANES - count;
                    sides >>= LANES;
                }
            }
            let last = &from[64 * blocks.len()..];
            part_within(last, to, (below, rest), |row| codes.has_below(code(row)))
        }
    }
    simd.vectorize(Part { simd, from, to, codes, code })
}

#[cfg(test)]
#[allow(clippy::cast_possible_truncation, reason = "small numbers")]
mod tests {
    use super::*;

    #[test]
    fn both_forms_write_the_rows_in_the_same_order() {
        for n in [0, 1, 63, 64, 255, 256, 257, 320, 1000, 5000] {
            for step in [1, 3] {
                let bytes: Vec<u8> = (0..2 * n * step).map(|k| (k * k * 31 / 7 % 256) as u8).collect();
                // Ascending, and in another order.
                for factor in [1, 617] {
                    let from: Vec<u32> = (0..n).map(|k| (k * factor % (2 * n.max(1))) as u32).collect();
                    for (start, count) in [(0, 1), (0, 256), (3, 100), (200, 56), (7, 0), (255, 1)] {
                        for is_below in [false, true] {
                            let codes = CodeRange { start, count, is_below };
                            let of = |row: &u32| codes.has_below(bytes[*row as usize * step]);
                            let mut expected: Vec<u32> = from.iter().copied().filter(of).collect();
                            let below = expected.len();
                            expected.extend(from.iter().copied().filter(|row| !of(row)).rev());
                            let mut to = vec![u32::MAX; n];
                            assert_eq!(part_by_code(&from, &mut to, (&bytes, step), codes), below);
                            assert_eq!(to, expected, "{n} {step} {codes:?}");
                            let mut to = vec![u32::MAX; n];
                            let is_below = |row: u32| of(&row);
                            assert_eq!(part(&from, &mut to, is_below), below);
                            assert_eq!(to, expected);
                        }
                    }
                }
            }
        }
    }
}
