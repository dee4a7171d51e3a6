//! Draws line and bar charts as SVG that follows the page's colours.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Colours of the chains, readable on light and dark pages.
pub const COLOURS: [RGBColor; 8] = [
    RGBColor(0x3b, 0x82, 0xf6),
    RGBColor(0xf0, 0x7d, 0x24),
    RGBColor(0x1f, 0xa8, 0x74),
    RGBColor(0xd9, 0x46, 0x7e),
    RGBColor(0x8b, 0x5c, 0xf6),
    RGBColor(0xb5, 0x9a, 0x0a),
    RGBColor(0x0f, 0xa3, 0xb1),
    RGBColor(0xa3, 0x6a, 0x4a),
];

const SIZE: (u32, u32) = (440, 240);
/// Placeholders for the page's text colour and its faint lines; the finished SVG text replaces them.
const TEXT: RGBColor = RGBColor(1, 2, 3);
const FAINT: RGBColor = RGBColor(4, 5, 6);

/// Draws line charts: `values[i]` of a series is plotted at `i + 1`.
pub fn lines(series: &[Vec<f64>], x_name: &str, format_y: &dyn Fn(f64) -> String) -> anyhow::Result<String> {
    let longest = series.iter().map(Vec::len).max().unwrap_or(0).max(2);
    let y_range = range(series.iter().flatten().copied());
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        let mut chart = ChartBuilder::on(&area)
            .margin(10)
            .margin_right(16)
            .x_label_area_size(42)
            .y_label_area_size(64)
            .build_cartesian_2d(1.0..longest as f64, y_range)?;
        let small = ("sans-serif", 13).into_font().color(&TEXT);
        chart
            .configure_mesh()
            .disable_x_mesh()
            .bold_line_style(FAINT)
            .light_line_style(TRANSPARENT)
            .axis_style(FAINT)
            .label_style(small.clone())
            .axis_desc_style(small.pos(Pos::new(HPos::Center, VPos::Center)))
            .x_desc(x_name)
            .x_label_formatter(&|x| format!("{x:.0}"))
            .y_label_formatter(&|y| format_y(*y))
            .y_labels(5)
            .draw()?;
        for (values, colour) in series.iter().zip(COLOURS.iter().cycle()) {
            let points = thinned(values);
            chart.draw_series(LineSeries::new(points, colour.stroke_width(2)))?;
        }
        area.present()?;
    }
    Ok(themed(svg))
}

/// Draws a bar for each value, in the given order.
pub fn bars(values: &[f64], x_name: &str, format_y: &dyn Fn(f64) -> String) -> anyhow::Result<String> {
    let top = values.iter().copied().fold(0.0, f64::max).max(1e-12) * 1.05;
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        let mut chart = ChartBuilder::on(&area)
            .margin(10)
            .margin_right(16)
            .x_label_area_size(42)
            .y_label_area_size(64)
            .build_cartesian_2d(0.0..values.len().max(1) as f64, 0.0..top)?;
        let small = ("sans-serif", 13).into_font().color(&TEXT);
        chart
            .configure_mesh()
            .disable_x_mesh()
            .bold_line_style(FAINT)
            .light_line_style(TRANSPARENT)
            .axis_style(FAINT)
            .label_style(small)
            .x_desc(x_name)
            // No more labels than bars, or labels between two bars would repeat a number.
            .x_labels((values.len() + 1).min(10))
            .x_label_formatter(&|x| format!("{x:.0}"))
            .y_label_formatter(&|y| format_y(*y))
            .y_labels(5)
            .draw()?;
        let bar = |(at, &value): (usize, &f64)| {
            Rectangle::new([(at as f64 + 0.1, 0.0), (at as f64 + 0.9, value)], COLOURS[0].filled())
        };
        chart.draw_series(values.iter().enumerate().map(bar))?;
        area.present()?;
    }
    Ok(themed(svg))
}

/// The values' range with a little room, never empty.
fn range(values: impl Iterator<Item = f64>) -> std::ops::Range<f64> {
    let (low, high) = values
        .filter(|v| v.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    if low > high {
        return 0.0..1.0;
    }
    let room = if high > low { 0.05 * (high - low) } else { low.abs().max(1.0) * 0.05 };
    low - room..high + room
}

/// At most a thousand points: more would not be seen and would make the page heavy.
fn thinned(values: &[f64]) -> Vec<(f64, f64)> {
    let step = values.len().div_ceil(1000).max(1);
    let last = values.len().saturating_sub(1);
    let kept = values.iter().enumerate().filter(|(at, v)| (at % step == 0 || *at == last) && v.is_finite());
    kept.map(|(at, &value)| (at as f64 + 1.0, value)).collect()
}

/// Lets the SVG take its text and line colours from the page, and scale with it.
fn themed(svg: String) -> String {
    let (w, h) = SIZE;
    svg.replace("#010203", "currentColor").replace("#040506", "var(--faint)").replacen(
        &format!("width=\"{w}\" height=\"{h}\""),
        "class=\"chart\"",
        1,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_what_it_is_given_without_fixed_text_colours() {
        let svg = lines(&[vec![1.0, 2.0, 3.0], vec![2.0]], "sweep", &|y| format!("{y:.1}")).unwrap();
        assert!(svg.contains("<polyline") && svg.contains("currentColor") && svg.contains("#3B82F6"), "{svg}");
        assert!(!svg.contains("#010203") && !svg.contains("#000000"), "{svg}");
        assert_eq!(range([].into_iter()), 0.0..1.0);
        assert_eq!(range([2.0, f64::NAN].into_iter()), 1.9..2.1);
        assert_eq!(thinned(&vec![0.0; 5000]).len(), 1001);
        assert!(bars(&[1.0, 0.5], "bit", &|y| format!("{y:.1}")).unwrap().contains("<rect"));
    }
}
