//! Draws what each bit adds to an input or looks for in it, where inputs are pictures.

use anyhow::bail;
use sibp::trace::Draw;
use sibp::transform::Transform;
use sibp_page::base64;

/// Pictures in a row of the sheet.
const ACROSS: usize = 12;

/// Draws all bits' images on one sheet, as an HTML picture: blue adds, orange takes away.
pub fn sheet(draw: &Draw, transform: &Transform, (width, height): (usize, usize)) -> anyhow::Result<String> {
    let n_bits = draw.bits.n_bits();
    if transform.n_inputs() != width * height {
        bail!(
            "--image-shape {width}x{height} is {} pixels, but there are {} inputs",
            width * height,
            transform.n_inputs()
        );
    }
    let images = draw.tensors.get("images").or_else(|| draw.tensors.get("map_coefficients"));
    let Some(images) = images else { bail!("the model has no images of its bits") };
    let images: Option<Vec<f64>> = match images.shape.as_slice() {
        [bits, width] if *bits == n_bits && *width == transform.n_outputs() => {
            let rows: Option<Vec<_>> =
                images.values.chunks_exact(*width).map(|row| transform.towards_inputs(row)).collect();
            rows.map(|rows| rows.concat())
        }
        _ => bail!("the images of the bits have another size than the inputs"),
    };
    let Some(images) = images else { bail!("bits of Fourier terms have no images: leave --image-shape out") };
    let largest = images.iter().fold(0.0f64, |most, v| most.max(v.abs())).max(f64::MIN_POSITIVE);
    let (across, down) = (ACROSS.min(n_bits.max(1)), n_bits.div_ceil(ACROSS).max(1));
    let (sheet_width, sheet_height) = (across * (width + 1) + 1, down * (height + 1) + 1);
    let mut pixels = vec![0u8; 4 * sheet_width * sheet_height];
    for (bit, image) in images.chunks_exact(width * height).enumerate() {
        let (left, top) = (bit % ACROSS * (width + 1) + 1, bit / ACROSS * (height + 1) + 1);
        for (at, &value) in image.iter().enumerate() {
            let place = 4 * ((top + at / width) * sheet_width + left + at % width);
            pixels[place..place + 4].copy_from_slice(&colour(value / largest));
        }
    }
    let png = encode(&pixels, sheet_width, sheet_height)?;
    let data = base64::encode(&png);
    Ok(format!("<img class=\"sheet\" alt=\"Images of the bits\" src=\"data:image/png;base64,{data}\">"))
}

/// The colour of a value; transparent at 0, so that the sheet suits any page.
fn colour(share: f64) -> [u8; 4] {
    let strength = (255.0 * share.abs().min(1.0).sqrt()).round() as u8;
    if share >= 0.0 { [0x3b, 0x82, 0xf6, strength] } else { [0xf0, 0x7d, 0x24, strength] }
}

fn encode(pixels: &[u8], width: usize, height: usize) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width as u32, height as u32);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header()?.write_image_data(pixels)?;
    Ok(bytes)
}
