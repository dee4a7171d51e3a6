//! Puts a model into words, with the options that would change them.

use crate::model::{CodeArg, Model};
pub use sibp::describe::{
    ChainFacts, Description, code_warnings, held_out_words, judge_lapses, quantity, rate_error, satisfied_at,
};

/// Describes a model as it encodes by default or by `--code`.
pub fn describe(model: &Model, code: CodeArg) -> Description {
    let mut description = model.file.describe(code.into());
    let option = match code {
        CodeArg::Suited => "(the default)",
        CodeArg::Distil => "(--code distil)",
        CodeArg::Map => "(--code map)",
        CodeArg::Last => "(--code last)",
        CodeArg::Concatenate => "(--code concatenate)",
    };
    for (_, words) in description.facts.iter_mut().filter(|(name, _)| *name == "codes") {
        *words = format!("{words} {option}");
    }
    description
}
