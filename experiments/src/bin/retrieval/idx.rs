//! Reads images and labels in the idx format of MNIST.
//!
//! A file begins with two zero bytes, the type of its numbers (8: bytes) and the number of dimensions, then each
//! dimension as four bytes, the highest first; the numbers follow.

use anyhow::{Context, Result, bail, ensure};
use sibp::data::Inputs;
use std::path::Path;

/// Images as rows of numbers from 0 to 1.
pub fn read_images(path: &Path) -> Result<Inputs> {
    let (dimensions, bytes) = read(path)?;
    let [n_images, height, width] = dimensions[..] else {
        bail!("{}: {} dimensions are no images", path.display(), dimensions.len())
    };
    Ok(Inputs::new(n_images, height * width, bytes.iter().map(|&byte| f64::from(byte) / 255.0).collect())?)
}

/// A class for each image.
pub fn read_classes(path: &Path) -> Result<Vec<u32>> {
    let (dimensions, bytes) = read(path)?;
    ensure!(dimensions.len() == 1, "{}: {} dimensions are no labels", path.display(), dimensions.len());
    Ok(bytes.into_iter().map(u32::from).collect())
}

fn read(path: &Path) -> Result<(Vec<usize>, Vec<u8>)> {
    let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
    parse(&bytes).with_context(|| path.display().to_string())
}

fn parse(bytes: &[u8]) -> Result<(Vec<usize>, Vec<u8>)> {
    let Some(([0, 0, 8, n_dimensions], rest)) = bytes.split_first_chunk() else { bail!("no idx file of bytes") };
    let n_sizes = 4 * usize::from(*n_dimensions);
    ensure!(rest.len() >= n_sizes, "the file ends within its sizes");
    let (sizes, numbers) = rest.split_at(n_sizes);
    let size = |four: &[u8]| four.iter().fold(0, |size, &byte| size << 8 | usize::from(byte));
    let dimensions: Vec<usize> = sizes.chunks_exact(4).map(size).collect();
    let expected: usize = dimensions.iter().product();
    ensure!(numbers.len() == expected, "{} numbers where {expected} are said to be", numbers.len());
    Ok((dimensions, numbers.to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_numbers_are_read() {
        let file = [0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 3, 1, 2, 3, 4, 5, 255];
        assert_eq!(parse(&file).unwrap(), (vec![2, 3], vec![1, 2, 3, 4, 5, 255]));
    }

    #[test]
    fn damaged_files_are_refused() {
        let error = |bytes: &[u8]| parse(bytes).unwrap_err().to_string();
        assert_eq!(error(&[0, 0, 8]), "no idx file of bytes");
        assert_eq!(error(&[0, 0, 9, 1, 0, 0, 0, 0]), "no idx file of bytes");
        assert_eq!(error(&[0, 0, 8, 2, 0, 0, 0, 1]), "the file ends within its sizes");
        assert_eq!(error(&[0, 0, 8, 1, 0, 0, 0, 3, 7, 7]), "2 numbers where 3 are said to be");
    }
}
