//! Runs the way from data to codes: [`Fit`] → [`Fitted`] → [`Coder`]. No other module fits models or turns inputs into
//! codes.

mod budget;
mod choice;
mod coder;
mod distilled;
mod effort;
mod error;
mod explain;
mod fit;
mod given;
mod merge;
mod nearness_scale;
mod plane;
mod portable;
mod prefer;
mod prepared;
mod reading;
mod recipe;
mod rehearsal;
mod suited;
mod unsupervised;

pub use crate::format::Fitted;
pub use budget::{Budget, Part, Sizes, of_triplets};
pub use coder::Coder;
pub use effort::{Effort, Lesson, Work};
pub use error::{CodingError, FitError, Shortage};
pub use explain::{BitFacts, BitOfTwo, Driver, Explainer, Explanation};
pub use fit::{Fit, Teaching};
pub use merge::{MergeError, NamedPart};
pub use plane::{Plane, plane};
pub use prefer::{Asking, Objects, Preferences, Prospect};
pub use prepared::Prepared;
pub use reading::{CodeParts, DrawChoice, Reading, TrainingCodes};
pub use recipe::ChosenTransform;
pub use rehearsal::Look;
