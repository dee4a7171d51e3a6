//! Lays codes out in the plane of their two principal axes.

use crate::codes::Codes;
use crate::data::DataError;
use crate::numerics::linalg::{Mat, product, symmetric_eigen, view};
use crate::parallel::parts;

/// Objects in a plane.
#[derive(Debug, Clone, PartialEq)]
pub struct Plane {
    /// A point an object.
    pub points: Vec<[f32; 2]>,
    /// Share of the variance of all bits along each axis.
    pub explained: [f64; 2],
}

/// The coordinates of codes along the two axes on which they differ most, about their mean. The sign of an axis is that of
/// its heaviest bit, so that equal codes give equal points.
///
/// ```
/// use sibp::codes::Codes;
/// let codes = Codes::from_bytes(4, 2, vec![0b0000_0000, 0b0000_0000, 0b1000_0000, 0b1000_0000])?;
/// let plane = sibp::pipeline::plane(&codes)?;
/// assert_eq!(plane.points, [[-0.5, 0.0], [-0.5, 0.0], [0.5, 0.0], [0.5, 0.0]]);
/// assert_eq!(plane.explained, [1.0, 0.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn plane(codes: &Codes) -> Result<Plane, DataError> {
    let (n, n_bits) = (codes.n_objects(), codes.n_bits());
    let mut found = Plane { points: vec![[0.0; 2]; n], explained: [0.0; 2] };
    if n == 0 || n_bits == 0 {
        return Ok(found);
    }
    let means: Vec<f64> = (0..n_bits).map(|bit| share(codes, bit)).collect();
    let mut covariance = Mat::zeros(n_bits, n_bits);
    for rows in parts(n) {
        let centred = centred(codes, rows.clone(), &means);
        let block = view(&centred, rows.len(), n_bits);
        covariance += product(block.transpose(), block, 1.0 / n as f64);
    }
    let total: f64 = (0..n_bits).map(|bit| covariance[(bit, bit)]).sum();
    let (variances, axes) =
        symmetric_eigen(covariance.as_ref()).map_err(|error| DataError::NoAxes { reason: error.to_string() })?;
    for (explained, variance) in found.explained.iter_mut().zip(&variances) {
        *explained = if total > 0.0 { variance.max(0.0) / total } else { 0.0 };
    }
    let places: Vec<[f64; 2]> = (0..n_bits).map(|bit| [axes[(bit, 0)], second(&axes, bit)]).collect();
    for (object, point) in found.points.iter_mut().enumerate() {
        let mut sums = [0.0; 2];
        for (bit, place) in places.iter().enumerate() {
            let value = f64::from(u8::from(codes.get(object, bit))) - means[bit];
            sums = [sums[0] + value * place[0], sums[1] + value * place[1]];
        }
        // Rounded so that what is zero but for rounding is zero.
        *point = sums.map(|sum| ((sum * 1e9).round() / 1e9) as f32);
    }
    Ok(found)
}

/// A bit's place on the second axis, where there is one.
fn second(axes: &Mat<f64>, bit: usize) -> f64 {
    if axes.ncols() > 1 { axes[(bit, 1)] } else { 0.0 }
}

/// Share of objects that have a bit.
fn share(codes: &Codes, bit: usize) -> f64 {
    let n = codes.n_objects();
    (0..n).filter(|&object| codes.get(object, bit)).count() as f64 / n as f64
}

/// Bits of some objects minus their means, row after row.
fn centred(codes: &Codes, rows: std::ops::Range<usize>, means: &[f64]) -> Vec<f64> {
    let bits = |object: usize| {
        means.iter().enumerate().map(move |(bit, mean)| f64::from(u8::from(codes.get(object, bit))) - mean)
    };
    rows.flat_map(bits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two groups that differ in three bits, and a rarer bit of its own.
    fn codes() -> Codes {
        let mut codes = Codes::zeros(40, 5);
        for object in 0..40 {
            (0..3).for_each(|bit| codes.set(object, bit, object % 2 == 0));
            codes.set(object, 3, object % 8 == 0);
        }
        codes
    }

    #[test]
    fn the_first_axis_tells_the_groups_apart_and_the_second_the_rarer_bit() {
        let plane = plane(&codes()).unwrap();
        for (object, point) in plane.points.iter().enumerate() {
            assert_eq!(point[0] > 0.0, object % 2 == 0, "{object}: {point:?}");
        }
        let variance =
            |axis: usize| plane.points.iter().map(|point| f64::from(point[axis]).powi(2)).sum::<f64>() / 40.0;
        let total = 3.0 * 0.25 + 0.125 * 0.875;
        for axis in 0..2 {
            assert!((variance(axis) / total - plane.explained[axis]).abs() < 1e-6, "{:?}", plane.explained);
        }
        assert!(plane.explained[0] > 0.8 && plane.explained.iter().sum::<f64>() > 0.999);
    }

    #[test]
    fn codes_without_bits_or_with_one_have_points_too() {
        assert_eq!(plane(&Codes::zeros(3, 0)).unwrap(), Plane { points: vec![[0.0; 2]; 3], explained: [0.0; 2] });
        assert_eq!(plane(&Codes::zeros(0, 3)).unwrap().points.len(), 0);
        let mut one = Codes::zeros(4, 1);
        one.set(2, 0, true);
        let plane = plane(&one).unwrap();
        assert_eq!(plane.points, [[-0.25, 0.0], [-0.25, 0.0], [0.75, 0.0], [-0.25, 0.0]]);
        assert_eq!(plane.explained, [1.0, 0.0]);
    }
}
