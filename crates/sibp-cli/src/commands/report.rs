//! Writes a report of a model as one html file (`sibp report`).

use crate::model::{CodeArg, Model};
use crate::output;
use crate::report::{self, Options};
use crate::writing::{ForceArgs, Kind, Writing};
use std::path::PathBuf;

const EXAMPLE: &str = "\
Example:
  sibp report m.sibp -o report.html
  sibp report digits.sibp --image-shape 8x8 -o report.html       (inputs are pictures of 8 by 8 pixels)

The page needs no network and no other file.";

/// `sibp report MODEL -o FILE`
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// The model
    model: PathBuf,
    /// Where to write the page
    #[arg(short, long, value_name = "FILE", default_value = "report.html")]
    out: PathBuf,
    /// Which draw of the best chain is shown
    #[arg(long, value_enum, default_value = "suited", hide_default_value = true)]
    code: CodeArg,
    /// Inputs are pixels of pictures of this width and height: show what each bit paints
    #[arg(long, alias = "image", value_name = "WxH", value_parser = image_size)]
    image_shape: Option<(usize, usize)>,
    #[command(flatten)]
    force: ForceArgs,
}

/// Width and height as in 8x8.
pub fn image_size(text: &str) -> Result<(usize, usize), String> {
    let parse = |n: &str| n.parse::<usize>().ok().filter(|n| *n > 0);
    let size = text.split_once('x').and_then(|(w, h)| Some((parse(w)?, parse(h)?)));
    size.ok_or_else(|| "write width and height as in 8x8".into())
}

/// Renders and writes the page.
pub fn run(args: &Args) -> anyhow::Result<()> {
    Writing::reading([&args.model], args.force).check(&args.out, Kind::Page)?;
    let model = Model::load(&args.model)?;
    let options = Options { code: args.code, image: args.image_shape, extra: Vec::new() };
    report::write(&model, &options, &args.out)?;
    output::say(format!("{} written", args.out.display()));
    Ok(())
}
