//! Finds or makes the picture of an object. A picture is asked for by the object's number; no request names a file.

use crate::PageError;
use sibp::data::{Ids, Inputs};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A picture's file may have this many bytes.
const MOST_BYTES: u64 = 20 << 20;

/// Where pictures of objects come from.
#[derive(Debug, Clone, Default)]
pub enum Pictures {
    /// There are none.
    #[default]
    None,
    /// Inputs are pixels.
    Pixels(Pixels),
    /// Files that were found at the start, an object each.
    Files(Vec<Option<PathBuf>>),
}

/// The shape of pictures, and the values that are black and white.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pixels {
    width: usize,
    height: usize,
    black: f64,
    white: f64,
}

impl Pictures {
    /// Pictures whose pixels are the inputs, row by row; `None` where there are not as many inputs.
    pub fn of_pixels(width: usize, height: usize, inputs: &Inputs) -> Option<Self> {
        if width.checked_mul(height)? != inputs.n_inputs() {
            return None;
        }
        let (mut black, mut white) = (f64::INFINITY, f64::NEG_INFINITY);
        inputs.for_each_row(|row| {
            for &value in row {
                (black, white) = (black.min(value), white.max(value));
            }
        });
        Some(Self::Pixels(Pixels { width, height, black, white }))
    }

    /// The files of a folder whose names, with or without their ending, are the objects' ids, or their row numbers where
    /// they have no ids. Only plain files of the folder itself count: links lead elsewhere.
    pub fn in_folder(folder: &Path, ids: Option<&Ids>, n_objects: usize) -> Result<Self, PageError> {
        let refused = |source| PageError::Images { path: folder.to_owned(), source };
        let mut by_name = BTreeMap::new();
        for entry in std::fs::read_dir(folder).map_err(refused)? {
            let entry = entry.map_err(refused)?;
            if !entry.file_type().map_err(refused)?.is_file() {
                continue;
            }
            let path = entry.path();
            for name in [path.file_name(), path.file_stem()].into_iter().flatten().filter_map(|name| name.to_str()) {
                by_name.entry(name.to_owned()).or_insert_with(|| path.clone());
            }
        }
        let of = |row: usize| match ids {
            Some(ids) => by_name.get(ids.texts()[row].as_str()).cloned(),
            None => by_name.get(row.to_string().as_str()).cloned(),
        };
        Ok(Self::Files((0..n_objects).map(of).collect()))
    }

    /// Whether an object has a picture.
    pub fn has(&self, object: usize) -> bool {
        match self {
            Self::None => false,
            Self::Pixels(_) => true,
            Self::Files(files) => files[object].is_some(),
        }
    }

    /// Objects without a picture, where others have some.
    pub fn n_missing(&self) -> usize {
        match self {
            Self::None | Self::Pixels(_) => 0,
            Self::Files(files) => files.iter().filter(|file| file.is_none()).count(),
        }
    }

    /// The picture of an object with its type; a sentence where there is none.
    pub fn picture(&self, object: usize, inputs: &Inputs) -> Result<(&'static str, Vec<u8>), String> {
        match self {
            Self::None => Err("there are no pictures".into()),
            Self::Pixels(pixels) => pixels.png(&inputs.row(object)).map(|bytes| ("image/png", bytes)),
            Self::Files(files) => read(files[object].as_deref()),
        }
    }
}

impl Pixels {
    fn png(&self, values: &[f64]) -> Result<Vec<u8>, String> {
        let range = (self.white - self.black).max(f64::MIN_POSITIVE);
        let grey: Vec<u8> = values.iter().map(|value| (255.0 * (value - self.black) / range).round() as u8).collect();
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Grayscale);
        encoder.set_depth(png::BitDepth::Eight);
        let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(&grey));
        written.map_err(|error| error.to_string())?;
        Ok(bytes)
    }
}

/// Reads a picture's file; its first bytes, not its name, tell what it is.
fn read(path: Option<&Path>) -> Result<(&'static str, Vec<u8>), String> {
    let path = path.ok_or("this object has no picture")?;
    let gone = |_| "the picture's file cannot be read any more".to_owned();
    let meta = std::fs::symlink_metadata(path).map_err(gone)?;
    if !meta.is_file() || meta.len() > MOST_BYTES {
        return Err("the picture's file is too large, or no plain file any more".into());
    }
    let bytes = std::fs::read(path).map_err(gone)?;
    let kind = kind(&bytes).ok_or("the file is no PNG, JPEG, GIF or WebP picture")?;
    Ok((kind, bytes))
}

/// What a picture's bytes are. SVG is left out, as it can hold scripts.
fn kind(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_by_id_and_nothing_else_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let (inside, outside) = (folder.path().join("in"), folder.path().join("secret.png"));
        std::fs::create_dir(&inside).unwrap();
        let png = [0x89, b'P', b'N', b'G', 1];
        std::fs::write(&outside, png).unwrap();
        std::fs::write(inside.join("cat.png"), png).unwrap();
        std::fs::write(inside.join("page.png"), "<script>").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(&outside, inside.join("link.png")).unwrap();
        let names = ["cat", "../secret", "link", "cat.png", "page"].map(String::from).to_vec();
        let found = Pictures::in_folder(&inside, Some(&Ids::new(names).unwrap()), 5).unwrap();
        let none = Inputs::none(5);
        assert_eq!((0..5).map(|object| found.has(object)).collect::<Vec<_>>(), [true, false, false, true, true]);
        assert_eq!(found.picture(0, &none).unwrap(), ("image/png", png.to_vec()));
        assert!(found.picture(1, &none).is_err() && found.picture(2, &none).is_err());
        assert!(found.picture(4, &none).unwrap_err().contains("no PNG"), "a page is no picture, whatever its name");
        std::fs::remove_file(inside.join("cat.png")).unwrap();
        assert!(found.picture(0, &none).unwrap_err().contains("any more"));
        assert_eq!(found.n_missing(), 2);
    }

    #[test]
    fn inputs_become_pixels() {
        let inputs = Inputs::new(2, 4, vec![0.0, 1.0, 2.0, 3.0, 4.0, 4.0, 4.0, 4.0]).unwrap();
        assert!(Pictures::of_pixels(3, 2, &inputs).is_none());
        let pictures = Pictures::of_pixels(2, 2, &inputs).unwrap();
        let (kind, bytes) = pictures.picture(0, &inputs).unwrap();
        assert_eq!(kind, "image/png");
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        let mut pixels = vec![0; 4];
        reader.next_frame(&mut pixels).unwrap();
        assert_eq!(pixels, [0, 64, 128, 191]);
    }
}
