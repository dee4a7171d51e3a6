//! Joins all errors of the crate, for callers who pass them on.

use thiserror::Error as Derive;

/// Any error of this crate. Each variant says what is wrong, where, and what to do.
#[derive(Debug, Derive)]
#[non_exhaustive]
pub enum Error {
    /// Inputs, ids or labels, or their files.
    #[error(transparent)]
    Data(#[from] crate::data::DataError),
    /// Bytes that are not valid codes.
    #[error(transparent)]
    Codes(#[from] crate::codes::CodesError),
    /// Triplets.
    #[error(transparent)]
    Triplets(#[from] crate::triplets::TripletError),
    /// Judges that do not fit their judgements.
    #[error(transparent)]
    Judges(#[from] crate::triplets::JudgesError),
    /// Labels that no triplets can be made from.
    #[error(transparent)]
    Labels(#[from] crate::triplets::FromLabelsError),
    /// A fit.
    #[error(transparent)]
    Fit(#[from] crate::pipeline::FitError),
    /// Chains that ran apart.
    #[error(transparent)]
    Merge(#[from] crate::pipeline::MergeError),
    /// Codes of a fitted model.
    #[error(transparent)]
    Coding(#[from] crate::pipeline::CodingError),
    /// A model file.
    #[error(transparent)]
    Format(#[from] crate::format::FormatError),
    /// A run that cannot be resumed.
    #[error(transparent)]
    Resume(#[from] crate::format::ResumeError),
    /// A hash or a classifier.
    #[error(transparent)]
    Learn(#[from] crate::hash::LearnError),
    /// Blocks of bits that do not belong together.
    #[error(transparent)]
    Stack(#[from] crate::hash::StackError),
    /// An index or a search.
    #[error(transparent)]
    Index(#[from] crate::index::IndexError),
    /// An index file.
    #[error(transparent)]
    IndexFile(#[from] crate::index::IndexFileError),
    /// A vote.
    #[error(transparent)]
    Vote(#[from] crate::index::vote::VoteError),
    /// A measure.
    #[error(transparent)]
    Eval(#[from] crate::eval::EvalError),
    /// Questions to ask next.
    #[error(transparent)]
    Ask(#[from] crate::ask::AskError),
    /// The choice of settings.
    #[error(transparent)]
    Tune(#[from] crate::tune::TuneError),
    /// Agreement with judgements.
    #[error(transparent)]
    Judging(#[from] crate::judging::JudgingError),
    /// The extension of codes.
    #[error(transparent)]
    Extend(#[from] crate::extend::ExtendError),
    /// Codes that cannot be extended as they are.
    #[error(transparent)]
    Origin(#[from] crate::extend::OriginError),
    /// A method in a comparison.
    #[error(transparent)]
    Method(#[from] crate::method::MethodError),
}
