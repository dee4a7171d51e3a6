//! Draws the two kinds of panels: points of categories, and codes grouped by category.

use super::Canvas;
use super::canvas::{Align, Colour};
use super::order::{bit_order, groups};
use sibp::codes::Codes;
use sibp::data::{Inputs, Labels};

/// Colours of ten categories.
pub(super) const CATEGORIES: [Colour; 10] = [
    [0x3b, 0x82, 0xf6],
    [0xf0, 0x7d, 0x24],
    [0x1f, 0xa8, 0x74],
    [0xd9, 0x46, 0x7e],
    [0x8b, 0x5c, 0xf6],
    [0xb5, 0x9a, 0x0a],
    [0x0f, 0xa3, 0xb1],
    [0xa3, 0x6a, 0x4a],
    [0x55, 0x55, 0x55],
    [0x9b, 0xc5, 0x3d],
];
pub(super) const INK: Colour = [0x11, 0x11, 0x11];
const GIVEN: Colour = [0xf0, 0x7d, 0x24];
pub(super) const FAINT: Colour = [0xbb, 0xbb, 0xbb];
/// Room above a panel for its title, and left of it for names.
const TITLE: f64 = 24.0;
const NAMES: f64 = 22.0;
const LETTERS: f64 = 11.0;

/// Position and size of a panel, title and names included.
#[derive(Debug, Clone, Copy)]
pub struct Frame {
    /// Left and top.
    pub at: (f64, f64),
    /// Width and height.
    pub size: (f64, f64),
}

impl Frame {
    pub(super) fn inside(&self) -> ((f64, f64), (f64, f64)) {
        ((self.at.0 + NAMES, self.at.1 + TITLE), (self.size.0 - NAMES, self.size.1 - TITLE))
    }

    pub(super) fn title(&self, canvas: &mut Canvas, title: &str) {
        canvas.words((self.at.0 + NAMES, self.at.1 + TITLE - 8.0), LETTERS, Align::Left, title);
    }
}

/// Points in the plane, a colour a category, with the category's number at its mean.
pub fn points(canvas: &mut Canvas, frame: Frame, title: &str, x: &Inputs, labels: &Labels) {
    let ((left, top), (width, height)) = frame.inside();
    frame.title(canvas, title);
    border(canvas, (left, top), (width, height));
    let range = |axis: usize| {
        let values = x.rows().map(|row| row[axis]);
        values.fold((f64::MAX, f64::MIN), |(low, high), v| (low.min(v), high.max(v)))
    };
    let (across, up) = (range(0), range(1));
    let place = |value: f64, (low, high): (f64, f64)| 0.04 + 0.92 * (value - low) / (high - low).max(1e-12);
    let at = |a: f64, b: f64| (left + width * place(a, across), top + height * (1.0 - place(b, up)));
    for (row, &class) in x.rows().zip(labels.class_of()) {
        canvas.disc(at(row[0], row[1]), 2.6, CATEGORIES[class as usize % CATEGORIES.len()]);
    }
    for (class, name) in labels.names().iter().enumerate() {
        let members = x.rows().zip(labels.class_of()).filter(|(_, c)| **c as usize == class).map(|(row, _)| row);
        let (n, a, b) = members.fold((0.0, 0.0, 0.0), |(n, a, b), row| (n + 1.0, a + row[0], b + row[1]));
        if n > 0.0 {
            canvas.words(at(a / n, b / n), LETTERS + 2.0, Align::Left, name);
        }
    }
}

/// The number of given bits, which stand first and are marked.
#[derive(Debug, Clone, Copy)]
pub struct Marked(pub usize);

/// Codes to draw.
pub struct CodePanel<'a> {
    /// Title above them.
    pub title: String,
    /// A row an object.
    pub codes: &'a Codes,
    /// Categories.
    pub labels: &'a Labels,
    /// How many bits are given.
    pub marked: Marked,
}

/// Codes, a row an object, grouped by category; learned bits by the category that owns them most.
pub fn codes(canvas: &mut Canvas, frame: Frame, panel: &CodePanel<'_>) {
    let ((left, top), (width, height)) = frame.inside();
    frame.title(canvas, &panel.title);
    let groups = groups(panel.codes.n_objects(), Some(panel.labels));
    let n_given = panel.marked.0;
    let learned = bit_order(panel.codes, &groups).into_iter().filter(|&bit| bit >= n_given);
    let order: Vec<usize> = (0..n_given).chain(learned).collect();
    let cell = (width / order.len().max(1) as f64, height / panel.codes.n_objects() as f64);
    let mut row_ix = 0.0;
    for (name, rows) in &groups {
        let begin = top + row_ix * cell.1;
        for (place, &bit) in order.iter().enumerate() {
            for (first, n_rows) in runs(rows.iter().map(|&row| panel.codes.get(row, bit))) {
                let corner = (left + place as f64 * cell.0, begin + first as f64 * cell.1);
                canvas.rectangle(corner, (cell.0, n_rows as f64 * cell.1), if bit < n_given { GIVEN } else { INK });
            }
        }
        row_ix += rows.len() as f64;
        let middle = begin + 0.5 * rows.len() as f64 * cell.1 + 4.0;
        canvas.words((left - 5.0, middle), LETTERS, Align::Right, name);
        canvas.rectangle((left, top + row_ix * cell.1), (width, 0.5), FAINT);
    }
    if n_given > 0 && n_given < order.len() {
        canvas.rectangle((left + n_given as f64 * cell.0, top), (1.0, height), GIVEN);
    }
    border(canvas, (left, top), (width, height));
}

/// Start and length of every run of set bits, so that each is drawn as one rectangle.
fn runs(bits: impl Iterator<Item = bool>) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (at, _) in bits.enumerate().filter(|(_, bit)| *bit) {
        match runs.last_mut() {
            Some((first, n)) if *first + *n == at => *n += 1,
            _ => runs.push((at, 1)),
        }
    }
    runs
}

pub(super) fn border(canvas: &mut Canvas, (left, top): (f64, f64), (width, height): (f64, f64)) {
    for (corner, size) in [
        ((left, top), (width, 0.5)),
        ((left, top + height), (width, 0.5)),
        ((left, top), (0.5, height)),
        ((left + width, top), (0.5, height)),
    ] {
        canvas.rectangle(corner, size, FAINT);
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn runs_are_as_long_as_they_can_be() {
        let bits = [true, true, false, false, true, false, true, true, true];
        assert_eq!(super::runs(bits.into_iter()), [(0, 2), (4, 1), (6, 3)]);
        assert_eq!(super::runs([false, false].into_iter()), []);
    }
}
