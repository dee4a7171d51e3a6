//! Multiplies many probabilities without underflow, eight at a time.
//!
//! No loop takes a logarithm or divides: numerators and denominators are multiplied separately, exponents are split
//! off regularly, and one logarithm is taken at the end.

use crate::numerics::simd::LANES;
use crate::numerics::vector::{Chunk, SIGN, Vector};

/// Chunks multiplied before exponents are split off. Weights are above 2^-30 and lapse rates above 2^-20, so eight
/// factors stay far within the range of a double.
const CHUNKS_A_SPLIT: usize = 8;

/// A product beyond the range of a double: `mantissa` times two to the `exponent`.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Product {
    mantissa: f64,
    exponent: i64,
}

/// A product of many positive factors, lane by lane.
#[derive(Clone, Copy)]
struct ProductLanes<V: Vector> {
    mantissas: V::Doubles,
    exponents: V::Words,
}

impl<V: Vector> ProductLanes<V> {
    #[inline(always)]
    fn new() -> Self {
        Self { mantissas: V::splat(1.0), exponents: V::load_words(&[0; LANES]) }
    }

    #[inline(always)]
    fn times(&mut self, factors: V::Doubles) {
        self.mantissas = V::multiply(self.mantissas, factors);
    }

    #[inline(always)]
    fn split(&mut self) {
        (self.mantissas, self.exponents) = V::split(self.mantissas, self.exponents);
    }

    /// The product of all lanes, whose exponents have been split off.
    #[inline(always)]
    fn product(self) -> Product {
        let (mut mantissas, mut exponents) = ([0.0; LANES], [0; LANES]);
        V::store(self.mantissas, &mut mantissas);
        V::store_words(self.exponents, &mut exponents);
        let exponent = exponents.iter().fold(0u64, |sum, &exponent| sum.wrapping_add(exponent));
        let [a, b, c, d, e, f, g, h] = mantissas;
        Product { mantissa: ((a * e) * (c * g)) * ((b * f) * (d * h)), exponent: exponent as i64 }
    }
}

/// A fraction of products.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fraction {
    numerator: Product,
    denominator: Product,
}

impl Fraction {
    /// The empty product.
    pub const ONE: Self =
        Self { numerator: Product { mantissa: 1.0, exponent: 0 }, denominator: Product { mantissa: 1.0, exponent: 0 } };

    /// The logarithm. Not inlined into the vector loops, where a call is expensive.
    pub fn ln(&self) -> f64 {
        let exponent = self.numerator.exponent - self.denominator.exponent;
        (self.numerator.mantissa / self.denominator.mantissa).ln() + exponent as f64 * std::f64::consts::LN_2
    }
}

/// Masks of the lanes of the last chunk that hold a term, in the highest bits of words.
const LAST_LANES: [Chunk<u64>; LANES] = {
    let mut masks = [[0; LANES]; LANES];
    let mut rest = 0;
    while rest < LANES {
        let mut lane = 0;
        while lane < rest {
            masks[rest][lane] = SIGN;
            lane += 1;
        }
        rest += 1;
    }
    masks
};

/// Gives numerators and denominators chunk by chunk. A trait, because closures would not be compiled for the caller's
/// instruction set.
pub(super) trait Terms<V: Vector> {
    fn fractions(&self, chunk: usize) -> (V::Doubles, V::Doubles);
}

/// Numerators and denominators multiplied so far.
#[derive(Clone, Copy)]
pub(super) struct Products<V: Vector> {
    numerator: ProductLanes<V>,
    denominator: ProductLanes<V>,
}

impl<V: Vector> Products<V> {
    #[inline(always)]
    pub fn new() -> Self {
        Self { numerator: ProductLanes::new(), denominator: ProductLanes::new() }
    }

    #[inline(always)]
    fn times(&mut self, (top, bottom): (V::Doubles, V::Doubles)) {
        self.numerator.times(top);
        self.denominator.times(bottom);
    }

    /// Multiplies `n` terms; lanes of the last chunk beyond them are ignored.
    #[inline(always)]
    pub fn times_all<T: Terms<V>>(&mut self, n: usize, terms: &T) {
        Self::times_each(std::array::from_mut(self), n, std::array::from_ref(terms));
    }

    /// Multiplies `n` terms of several kinds, each kind into its own product, in one pass.
    #[inline(always)]
    pub fn times_each<T: Terms<V>, const N: usize>(all: &mut [Self; N], n: usize, terms: &[T; N]) {
        let n_whole = n / LANES;
        let mut chunk = 0;
        while chunk < n_whole {
            let end = n_whole.min(chunk + CHUNKS_A_SPLIT);
            while chunk < end {
                for which in 0..N {
                    all[which].times(terms[which].fractions(chunk));
                }
                chunk += 1;
            }
            for products in all.iter_mut() {
                products.split();
            }
        }
        if !n.is_multiple_of(LANES) {
            let (lanes, one) = (V::load_words(&LAST_LANES[n % LANES]), V::splat(1.0));
            for which in 0..N {
                let (top, bottom) = terms[which].fractions(n_whole);
                all[which].times((V::select(lanes, top, one), V::select(lanes, bottom, one)));
                all[which].split();
            }
        }
    }

    #[inline(always)]
    fn split(&mut self) {
        self.numerator.split();
        self.denominator.split();
    }

    #[inline(always)]
    pub fn fraction(self) -> Fraction {
        Fraction { numerator: self.numerator.product(), denominator: self.denominator.product() }
    }
}
