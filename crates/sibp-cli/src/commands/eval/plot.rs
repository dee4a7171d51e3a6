//! Draws a learning curve as SVG.

use crate::report::chart::COLOURS;
use anyhow::Context;
use plotters::prelude::*;
use sibp::data::AtomicFile;
use sibp::judging::Curve;
use std::io::Write;
use std::path::Path;

/// Writes the measured points with their standard errors, and the fitted law with its deviation.
pub fn write(path: &Path, curve: &Curve) -> anyhow::Result<()> {
    let svg = draw(curve)?;
    let refused = || format!("{}: cannot write here", path.display());
    let mut file = AtomicFile::create(path).with_context(refused)?;
    file.write_all(svg.as_bytes()).and_then(|()| file.commit()).with_context(refused)
}

fn draw(curve: &Curve) -> anyhow::Result<String> {
    let band = curve.law.iter().flat_map(|&(_, mean, deviation)| [mean - deviation, mean + deviation]);
    let values: Vec<f64> = band.chain(curve.points.iter().map(|point| point.agreement)).map(|y| 100.0 * y).collect();
    let (low, high) = values.iter().fold((f64::MAX, f64::MIN), |(low, high), &y| (low.min(y), high.max(y)));
    let (first, last) = (curve.law[0].0, curve.law[curve.law.len() - 1].0);
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (640, 400)).into_drawing_area();
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&area)
            .margin(12)
            .margin_right(24)
            .x_label_area_size(44)
            .y_label_area_size(60)
            .build_cartesian_2d((first..last).log_scale(), low - 1.0..high + 1.0)?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .x_desc("judgements learned from")
            .y_desc("agreement with held-out judgements, %")
            .draw()?;
        let upper = curve.law.iter().map(|&(n, mean, deviation)| (n, 100.0 * (mean + deviation)));
        let lower = curve.law.iter().rev().map(|&(n, mean, deviation)| (n, 100.0 * (mean - deviation)));
        chart.draw_series([Polygon::new(upper.chain(lower).collect::<Vec<_>>(), COLOURS[0].mix(0.15))])?;
        let law = curve.law.iter().map(|&(n, mean, _)| (n, 100.0 * mean));
        chart.draw_series(LineSeries::new(law, COLOURS[0].stroke_width(2)))?;
        for point in &curve.points {
            let (n, y) = (point.n_learned, 100.0 * point.agreement);
            let error = 100.0 * point.standard_error.unwrap_or(0.0);
            let bar = [(n, y - error), (n, y + error)];
            chart.draw_series([PathElement::new(bar, COLOURS[1].stroke_width(2))])?;
            chart.draw_series([Circle::new((n, y), 4, COLOURS[1].filled())])?;
        }
        area.present()?;
    }
    Ok(svg)
}
