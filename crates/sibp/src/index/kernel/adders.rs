//! Counts, for every bit of a word, in how many words it is set: by full adders, as a binary number a bit.
//!
//! Three words make two, their sums and their carries. Words are added up like this before their bits are counted, so
//! that seven words cost three counts, and fifteen four.

/// The sum of three bits, lower digit first.
#[inline(always)]
fn add(a: u64, b: u64, c: u64) -> [u64; 2] {
    let either = a ^ b;
    [either ^ c, (a & b) | (either & c)]
}

/// The digits of how many words, of one from the first on, have a bit set; lowest first.
#[inline(always)]
pub(super) fn of_one(word: &impl Fn(usize) -> u64, first: usize) -> [u64; 1] {
    [word(first)]
}

/// The same of three.
#[inline(always)]
pub(super) fn of_three(word: &impl Fn(usize) -> u64, first: usize) -> [u64; 2] {
    add(word(first), word(first + 1), word(first + 2))
}

/// The same of seven.
#[inline(always)]
pub(super) fn of_seven(word: &impl Fn(usize) -> u64, first: usize) -> [u64; 3] {
    let (a, b) = (of_three(word, first), of_three(word, first + 3));
    let [ones, carry] = add(a[0], b[0], word(first + 6));
    let [twos, fours] = add(a[1], b[1], carry);
    [ones, twos, fours]
}

/// The same of fifteen.
#[inline(always)]
pub(super) fn of_fifteen(word: &impl Fn(usize) -> u64, first: usize) -> [u64; 4] {
    let (a, b) = (of_seven(word, first), of_seven(word, first + 7));
    let [ones, carry] = add(a[0], b[0], word(first + 14));
    let [twos, carry] = add(a[1], b[1], carry);
    let [fours, eights] = add(a[2], b[2], carry);
    [ones, twos, fours, eights]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Digits are right for bit 0 set in the first `n` words and bit 1 in the others.
    fn check<const N: usize>(n_words: usize, digits: impl Fn(usize) -> [u64; N]) {
        for n in 0..=n_words {
            let of_bit = |bit: usize| digits(n).iter().rev().fold(0, |sum, digit| 2 * sum + (digit >> bit & 1));
            assert_eq!([of_bit(0), of_bit(1), of_bit(2)], [n as u64, (n_words - n) as u64, 0]);
        }
    }

    #[test]
    fn digits_are_those_of_how_many_words_have_a_bit_set() {
        let words = |n: usize| move |at: usize| if at < n { 1u64 } else { 2 };
        check(3, |n| of_three(&words(n), 0));
        check(7, |n| of_seven(&words(n), 0));
        check(15, |n| of_fifteen(&words(n), 0));
    }
}
