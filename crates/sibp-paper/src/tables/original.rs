//! Reads Animals with Attributes as it is distributed: Features/NAME/CLASS/*.txt, one text file of numbers for each
//! image.

use anyhow::{Context, bail};
use sibp::data::{Inputs, Labels};
use std::path::{Path, PathBuf};

/// The paper's inputs: a pyramid of 21 colour histograms of 128 bins each, that of the whole image first.
const COLOURS: &str = "cq-hist";
const N_COLOURS: usize = 128;

/// A folder with the data set.
pub struct Original<'a> {
    folder: std::borrow::Cow<'a, Path>,
}

impl<'a> Original<'a> {
    /// The folder itself, or Animals_with_Attributes in it, if it has a Features folder; a folder with features.npy is
    /// read as arrays instead.
    pub fn find(folder: &'a Path) -> Option<Self> {
        let inner = folder.join("Animals_with_Attributes");
        let has_inputs = |folder: &Path| folder.join("Features").is_dir();
        match (folder.join("features.npy").is_file(), has_inputs(folder), has_inputs(&inner)) {
            (true, ..) => None,
            (_, true, _) => Some(Self { folder: folder.into() }),
            (_, _, true) => Some(Self { folder: inner.into() }),
            _ => None,
        }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Inputs, labels (class ids as text) and the names of the classes, in the order of classes.txt and of file names.
    pub fn read(&self, input: &str) -> anyhow::Result<(Inputs, Labels, Vec<String>)> {
        let folder = self.folder.join("Features").join(input);
        if !folder.is_dir() {
            let known = subfolders(&self.folder.join("Features"))?.join(", ");
            bail!("{}: there is no such folder; --feature takes one of {known}", folder.display());
        }
        let classes = self.classes()?;
        let (mut values, mut ids) = (Vec::new(), Vec::new());
        let mut first: Option<(usize, PathBuf)> = None;
        for (class_ix, class) in classes.iter().enumerate() {
            for path in images(&folder.join(class))? {
                let numbers = numbers(&path)?;
                let (width, other) = first.get_or_insert_with(|| (numbers.len(), path.clone()));
                if numbers.len() != *width {
                    bail!("{}: {} numbers, but {} has {width}", path.display(), numbers.len(), other.display());
                }
                if input == COLOURS && *width < N_COLOURS {
                    bail!("{}: {width} numbers, but {COLOURS} has {N_COLOURS} of the whole image", path.display());
                }
                let kept = if input == COLOURS { N_COLOURS } else { *width };
                values.extend_from_slice(&numbers[..kept]);
                ids.push((class_ix + 1).to_string());
            }
        }
        let n_inputs = values.len() / ids.len().max(1);
        Ok((Inputs::new(ids.len(), n_inputs, values)?, Labels::from_text(&ids), classes))
    }

    /// Names of the classes, numbered by their lines, as in the attribute files.
    fn classes(&self) -> anyhow::Result<Vec<String>> {
        let path = self.folder.join("classes.txt");
        let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let mut names = Vec::new();
        for (line, at) in text.lines().zip(1usize..) {
            match line.split_whitespace().collect::<Vec<_>>()[..] {
                [id, name] if id.parse() == Ok(at) => names.push(name.to_owned()),
                _ => bail!("{}: line {at} is not the number {at} and the name of a class", path.display()),
            }
        }
        Ok(names)
    }
}

/// The text files of a class, by name.
fn images(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("{}: a class without images", folder.display()))?;
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry.with_context(|| folder.display().to_string())?.path();
        if path.extension().is_some_and(|ending| ending == "txt") {
            paths.push(path);
        }
    }
    if paths.is_empty() {
        bail!("{}: a class without images; there is no .txt file in it", folder.display());
    }
    paths.sort();
    Ok(paths)
}

fn numbers(path: &Path) -> anyhow::Result<Vec<f64>> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let mut numbers = Vec::new();
    for (word, at) in text.split_whitespace().zip(1..) {
        match word.parse::<f64>() {
            Ok(number) if number.is_finite() && number >= 0.0 => numbers.push(number),
            _ => bail!("{}: number {at} is {word:?}, not a finite number of 0 or more", path.display()),
        }
    }
    Ok(numbers)
}

fn subfolders(folder: &Path) -> anyhow::Result<Vec<String>> {
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let folders = entries.filter_map(Result::ok).filter(|entry| entry.path().is_dir());
    let mut names: Vec<String> = folders.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    Ok(names)
}
