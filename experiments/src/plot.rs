//! Draws curves against a logarithmic axis.

use anyhow::Result;
use plotters::coord::ranged1d::ValueFormatter;
use plotters::prelude::*;
use std::path::Path;

const COLOURS: [RGBColor; 5] = [
    RGBColor(0x3b, 0x82, 0xf6),
    RGBColor(0xf0, 0x7d, 0x24),
    RGBColor(0x1f, 0xa8, 0x74),
    RGBColor(0xd9, 0x46, 0x7e),
    RGBColor(0x8b, 0x5c, 0xf6),
];

/// A named curve.
pub struct Curve {
    /// Name in the legend.
    pub name: String,
    /// Points in ascending order.
    pub points: Vec<(f64, f64)>,
}

/// How the upright axis is divided; the other one is always logarithmic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    /// Evenly.
    Linear,
    /// By powers of ten; all values are positive.
    Logarithmic,
}

/// Writes the curves as SVG; `names` are those of both axes.
pub fn curves(path: &Path, curves: &[Curve], names: (&str, &str), upright: Axis) -> Result<()> {
    let all = || curves.iter().flat_map(|curve| &curve.points);
    let range = |of: fn(&(f64, f64)) -> f64| all().map(of).fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(v), h.max(v)));
    let ((left, right), (low, high)) = (range(|p| p.0), range(|p| p.1));
    let area = SVGBackend::new(path, (720, 440)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area);
    chart.margin(12).x_label_area_size(44).y_label_area_size(60);
    let across = (left..right).log_scale();
    match upright {
        Axis::Linear => {
            let room = 0.05 * (high - low).max(1e-9);
            draw(chart.build_cartesian_2d(across, low - room..high + room)?, curves, names)?;
        }
        Axis::Logarithmic => {
            draw(chart.build_cartesian_2d(across, (low / 1.5..high * 1.5).log_scale())?, curves, names)?;
        }
    }
    area.present()?;
    Ok(())
}

fn draw<'a, X, Y>(
    mut chart: ChartContext<'a, SVGBackend<'a>, Cartesian2d<X, Y>>,
    curves: &[Curve],
    names: (&str, &str),
) -> Result<()>
where
    X: Ranged<ValueType = f64> + ValueFormatter<f64>,
    Y: Ranged<ValueType = f64> + ValueFormatter<f64>,
{
    chart.configure_mesh().light_line_style(TRANSPARENT).x_desc(names.0).y_desc(names.1).draw()?;
    for (curve, colour) in curves.iter().zip(COLOURS.iter().cycle()) {
        chart
            .draw_series(LineSeries::new(curve.points.clone(), colour.stroke_width(2)))?
            .label(&curve.name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(2)));
        chart.draw_series(curve.points.iter().map(|&point| Circle::new(point, 3, colour.filled())))?;
    }
    chart.configure_series_labels().position(free_corner(curves)).background_style(WHITE.mix(0.8)).draw()?;
    Ok(())
}

/// Where curves that rise or fall leave room for names.
fn free_corner(curves: &[Curve]) -> SeriesLabelPosition {
    let ends = curves.iter().filter_map(|curve| Some(curve.points.last()?.1 - curve.points.first()?.1));
    if ends.sum::<f64>() < 0.0 { SeriesLabelPosition::UpperRight } else { SeriesLabelPosition::LowerRight }
}
