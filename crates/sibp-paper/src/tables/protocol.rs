//! Draws the splits of the paper's section 6.3: a number of classes, 60 images of each, half to learn from.

use crate::misuse::usage;
use anyhow::bail;
use rand::seq::{IndexedRandom, SliceRandom};
use rand_chacha::ChaCha8Rng;
use sibp::data::{Labels, Split};
use sibp::rng::{Purpose, Streams};

/// Images of a class, for training and test together.
const OF_CLASS: usize = 60;
/// Repeats on the same classes.
const REPEATS: usize = 5;
/// Classes outside the corpus from which attributes are learned, the first five for five categories. The paper does
/// not name its own.
const CLASSES: [&str; 10] =
    ["killer+whale", "tiger", "sheep", "chihuahua", "polar+bear", "rhinoceros", "rabbit", "wolf", "bobcat", "cow"];

/// The sizes of a split, read from its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Protocol {
    n_classes: usize,
    n_repeats: usize,
    /// Whether every repeat draws other classes.
    any_classes: bool,
}

impl Protocol {
    /// `split5`: five repeats of five classes. `split5x20`: 20 repeats, each of five classes drawn from all.
    pub fn named(name: &str) -> anyhow::Result<Self> {
        let numbers: Option<Vec<usize>> =
            name.strip_prefix("split").and_then(|rest| rest.split('x').map(|n| n.parse().ok()).collect());
        match numbers.as_deref() {
            Some(&[n_classes]) if (2..=CLASSES.len()).contains(&n_classes) => {
                Ok(Self { n_classes, n_repeats: REPEATS, any_classes: false })
            }
            Some(&[n_classes, n_repeats]) if n_classes >= 2 && n_repeats >= 1 => {
                Ok(Self { n_classes, n_repeats, any_classes: true })
            }
            _ => Err(usage(format!(
                "--splits: {name} cannot be drawn; split5 is five repeats of five classes (up to split10), split5x20 is 20 \
                 repeats, each of five classes at random"
            ))),
        }
    }

    /// Draws a split for each repeat; labels are the positions of `classes`, from 1.
    pub fn draw(&self, labels: &Labels, classes: &[String], seed: u64) -> anyhow::Result<Vec<Split>> {
        let streams = Streams::new(seed, self.n_classes);
        (0..self.n_repeats)
            .map(|repeat| self.repeat(labels, classes, streams.rng(Purpose::Split, 0, repeat as u64)))
            .collect()
    }

    fn repeat(&self, labels: &Labels, classes: &[String], mut rng: ChaCha8Rng) -> anyhow::Result<Split> {
        let mut split = Split::default();
        for class in self.classes(classes, &mut rng)? {
            let id = classes.iter().position(|name| name == class).map(|at| (at + 1).to_string());
            let class_of = |row: usize| &labels.names()[labels.class_of()[row] as usize];
            let mut rows: Vec<usize> = (0..labels.len()).filter(|&row| Some(class_of(row)) == id.as_ref()).collect();
            if rows.len() < OF_CLASS {
                bail!("the class {class} has {} images, and a split takes {OF_CLASS}", rows.len());
            }
            rows.shuffle(&mut rng);
            split.train.extend_from_slice(&rows[..OF_CLASS / 2]);
            split.test.extend_from_slice(&rows[OF_CLASS / 2..OF_CLASS]);
        }
        Ok(split)
    }

    fn classes<'a>(&self, classes: &'a [String], rng: &mut ChaCha8Rng) -> anyhow::Result<Vec<&'a str>> {
        let names: Vec<&'a str> = classes.iter().map(String::as_str).collect();
        if !self.any_classes {
            let known = |name: &&&str| CLASSES[..self.n_classes].contains(*name);
            let found: Vec<&str> = names.iter().filter(known).copied().collect();
            return match CLASSES[..self.n_classes].iter().find(|name| !found.contains(*name)) {
                Some(name) => bail!("classes.txt does not name {name}, a class of the split"),
                None => Ok(found),
            };
        }
        // The remaining classes are needed to learn the attributes.
        if self.n_classes >= names.len() {
            bail!("{} classes a split leave none of the {} to learn attributes from", self.n_classes, names.len());
        }
        Ok(names.sample(rng, self.n_classes).copied().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn animals() -> (Labels, Vec<String>) {
        let classes: Vec<String> = ["zebra", "otter"].iter().chain(&CLASSES).map(|&name| name.to_owned()).collect();
        let ids: Vec<String> = (0..70 * classes.len()).map(|row| (row / 70 + 1).to_string()).collect();
        (Labels::from_text(&ids), classes)
    }

    #[test]
    fn a_repeat_has_sixty_images_of_each_class_in_two_halves() {
        let (labels, classes) = animals();
        let protocol = Protocol::named("split5").unwrap();
        let splits = protocol.draw(&labels, &classes, 1).unwrap();
        assert_eq!(splits.len(), 5);
        for split in &splits {
            let rows: BTreeSet<usize> = split.train.iter().chain(&split.test).copied().collect();
            assert_eq!((rows.len(), split.train.len()), (300, 150), "no image comes twice");
            let per_class = |class: usize| split.test.iter().filter(|&&row| row / 70 == class).count();
            assert_eq!((0..12).map(per_class).collect::<Vec<_>>(), [0, 0, 30, 30, 30, 30, 30, 0, 0, 0, 0, 0]);
        }
        assert_ne!(splits[0], splits[1]);
        assert_eq!(splits, protocol.draw(&labels, &classes, 1).unwrap());
        assert_ne!(splits, protocol.draw(&labels, &classes, 2).unwrap());
    }

    #[test]
    fn many_repeats_have_classes_of_their_own() {
        let (labels, classes) = animals();
        let splits = Protocol::named("split3x8").unwrap().draw(&labels, &classes, 1).unwrap();
        let of = |split: &Split| split.train.iter().map(|row| row / 70).collect::<BTreeSet<_>>();
        assert!(splits.len() == 8 && splits.iter().all(|split| of(split).len() == 3));
        assert!(splits.iter().map(of).collect::<BTreeSet<_>>().len() > 1);
    }

    #[test]
    fn what_cannot_be_drawn_is_named() {
        for name in ["mine", "split", "split1", "split11", "split5x", "split5x0", "split5x2x3"] {
            assert!(Protocol::named(name).unwrap_err().to_string().contains(name), "{name}");
        }
        let (labels, classes) = animals();
        let said = |name: &str, labels: &Labels, classes: &[String]| {
            Protocol::named(name).unwrap().draw(labels, classes, 1).unwrap_err().to_string()
        };
        assert!(said("split12x2", &labels, &classes).contains("none of the 12"));
        assert!(said("split5", &labels, &classes[..4]).contains("sheep"));
        let few: Vec<usize> = (0..labels.len() - 20).collect();
        assert!(said("split10", &labels.select(&few), &classes).contains("cow has 50 images"));
    }
}
