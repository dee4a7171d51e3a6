//! Takes the encoder out of a model (`sibp export m.sibp --to encoder`).

use super::Args;
use crate::failure::usage;
use crate::model::{EncodeArgs, Model};
use crate::output;
use crate::stream::looks_like_hash;
use crate::writing::{Kind, Writing};
use serde_json::json;

/// Writes what gives codes to objects, without draws and training objects.
pub fn run(args: &Args) -> anyhow::Result<()> {
    if looks_like_hash(&args.codes) {
        return Err(usage(format!("{}: a hash is its own encoder; it travels as it is", args.codes.display())));
    }
    Writing::reading([&args.codes], args.force).check(&args.out, Kind::Encoder)?;
    let model = Model::load(&args.codes)?;
    let encode = EncodeArgs { code: args.code, encoder: args.encoder, ..EncodeArgs::default() };
    let encoder = model.file.portable(encode.reading()).map_err(|error| model.explain(error, &model.path))?;
    encoder.save(&args.out)?;
    let out = args.out.display().to_string();
    let (n_bits, n_inputs, n_bytes) = (encoder.code_parts().total(), encoder.n_inputs(), file_size(args)?);
    if args.json {
        let fingerprint = encoder.fingerprint.hex();
        let facts =
            json!({ "out": out, "bits": n_bits, "inputs": n_inputs, "bytes": n_bytes, "fingerprint": fingerprint });
        return output::print_json(&facts);
    }
    if !args.quiet {
        let (bits, inputs) = (output::count(n_bits, "bit"), output::count(n_inputs, "input"));
        output::say(format!("{out}: {bits} over {inputs}, {} bytes", output::grouped(n_bytes)));
    }
    Ok(())
}

fn file_size(args: &Args) -> anyhow::Result<usize> {
    Ok(usize::try_from(std::fs::metadata(&args.out)?.len())?)
}
