//! Draws bar charts with standard deviations, and dots for reference values.

use super::Canvas;
use super::canvas::Align;
use super::panels::{CATEGORIES, FAINT, Frame, INK, border};

const LETTERS: f64 = 11.0;
/// Room below the bars for the names of places.
const BELOW: f64 = 18.0;

/// One bar.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bar {
    /// Height of the bar, 0 or more.
    pub height: f64,
    /// Standard deviation, drawn as a line across the bar's end.
    pub sd: f64,
    /// A reference value, drawn as a dot.
    pub mark: Option<f64>,
    /// Number of the bar's colour.
    pub colour: usize,
}

/// Bars by places along an axis.
#[derive(Debug, Clone)]
pub struct BarPanel {
    /// Title above them.
    pub title: String,
    /// Name and bars of each place.
    pub places: Vec<(String, Vec<Bar>)>,
}

/// Draws bars from 0 up, with lines at round heights.
pub fn bars(canvas: &mut Canvas, frame: Frame, panel: &BarPanel) {
    let ((left, top), (width, height)) = frame.inside();
    let height = height - BELOW;
    frame.title(canvas, &panel.title);
    let all = panel.places.iter().flat_map(|(_, bars)| bars);
    let highest = all.map(|bar| (bar.height + bar.sd).max(bar.mark.unwrap_or(0.0))).fold(1e-9, f64::max) * 1.05;
    let up = |value: f64| top + height * (1.0 - value / highest);
    let step = if highest > 50.0 { 20.0 } else { 10.0 };
    for line in (1..).map(|at| step * f64::from(at)).take_while(|line| *line < highest) {
        canvas.rectangle((left, up(line)), (width, 0.5), FAINT);
        canvas.words((left - 4.0, up(line) + 4.0), LETTERS, Align::Right, format!("{line:.0}"));
    }
    let room = width / panel.places.len().max(1) as f64;
    for (at, (name, bars)) in panel.places.iter().enumerate() {
        let begin = left + room * at as f64 + 0.08 * room;
        let wide = 0.84 * room / bars.len().max(1) as f64;
        for (ix, bar) in bars.iter().enumerate() {
            let x = begin + wide * ix as f64;
            let colour = CATEGORIES[bar.colour % CATEGORIES.len()];
            canvas.rectangle((x, up(bar.height)), (0.85 * wide, top + height - up(bar.height)), colour);
            let low = (bar.height - bar.sd).max(0.0);
            canvas.rectangle((x + 0.4 * wide, up(bar.height + bar.sd)), (1.0, up(low) - up(bar.height + bar.sd)), INK);
            if let Some(mark) = bar.mark {
                canvas.disc((x + 0.425 * wide, up(mark)), 3.0, INK);
            }
        }
        canvas.words((begin, top + height + 13.0), LETTERS, Align::Left, name.as_str());
    }
    border(canvas, (left, top), (width, height));
}

/// Draws the legend: a line for each colour, and one for the dots if there are some.
pub fn legend(canvas: &mut Canvas, (left, top): (f64, f64), line: f64, names: &[&str], mark: Option<&str>) {
    for (at, name) in names.iter().enumerate() {
        let y = top + line * at as f64;
        canvas.rectangle((left, y), (10.0, 10.0), CATEGORIES[at % CATEGORIES.len()]);
        canvas.words((left + 18.0, y + 9.0), LETTERS, Align::Left, *name);
    }
    if let Some(mark) = mark {
        let y = top + line * names.len() as f64;
        canvas.disc((left + 5.0, y + 5.0), 3.0, INK);
        canvas.words((left + 18.0, y + 9.0), LETTERS, Align::Left, mark);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_twice_as_high_is_drawn_twice_as_high() {
        let mut canvas = Canvas::new(200, 200);
        let bar = |height: f64| Bar { height, sd: 0.0, mark: Some(30.0), colour: 0 };
        let places = vec![("1-NN".to_owned(), vec![bar(20.0), bar(40.0)])];
        bars(&mut canvas, Frame { at: (0.0, 0.0), size: (200.0, 200.0) }, &BarPanel { title: "t".into(), places });
        let svg = canvas.svg();
        let heights: Vec<f64> = svg
            .lines()
            .filter(|line| line.contains("#3b82f6"))
            .map(|line| line.split("height=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap())
            .collect();
        assert_eq!(heights.len(), 2, "{svg}");
        assert!((heights[1] / heights[0] - 2.0).abs() < 1e-3, "{heights:?}");
        assert_eq!(svg.matches("<circle").count(), 2);
    }
}
