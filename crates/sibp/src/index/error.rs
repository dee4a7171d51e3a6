//! Lists the invalid requests to an index, a search or a vote.

use crate::fingerprint::Fingerprint;
use thiserror::Error;

/// Why the index cannot answer a request.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum IndexError {
    /// The index was asked to hold codes of an impossible width.
    #[error("codes of {n_bits} bits cannot be indexed; the width must be 1 to {}", super::MAX_BITS)]
    Width {
        /// Bits asked for.
        n_bits: usize,
    },
    /// Codes have another width than the index.
    #[error(
        "the codes have {found} bits but the index holds codes of {expected} bits; encode both with the same model"
    )]
    WidthMismatch {
        /// Bits of the index.
        expected: usize,
        /// Bits of the codes given.
        found: usize,
    },
    /// There is not one id a code.
    #[error("{n_ids} ids were given for {n_codes} codes; give one id a code")]
    IdCount {
        /// Codes given.
        n_codes: usize,
        /// Ids given.
        n_ids: usize,
    },
    /// An id was given twice, or is in the index already.
    #[error("id {id} (row {row} of the new codes) is already in use; ids must be distinct")]
    DuplicateId {
        /// The id.
        id: u64,
        /// Row of the codes being added at which it came again.
        row: usize,
    },
    /// Numbering the new codes would run past the largest id.
    #[error("no ids are left after {last}; give explicit ids")]
    IdsExhausted {
        /// The largest id in use.
        last: u64,
    },
    /// An id that another program's signed ids cannot hold.
    #[error("id {id} is larger than {}, the largest that faiss can hold", i64::MAX)]
    IdTooLarge {
        /// The id.
        id: u64,
    },
    /// An id that is not in the index.
    #[error("id {id} is not in the index")]
    UnknownId {
        /// The id.
        id: u64,
    },
    /// A text id was given twice, or is in the index already.
    #[error("the id {id:?} (row {row} of the new codes) is already in use; ids must be distinct")]
    DuplicateName {
        /// The id.
        id: String,
        /// Row of the codes being added at which it came again.
        row: usize,
    },
    /// A text id is in the index already.
    #[error("the id {id:?} is in the index already; ids must be distinct")]
    StoredName {
        /// The id.
        id: String,
    },
    /// A text id that is not in the index.
    #[error("the id {id:?} is not in the index")]
    UnknownName {
        /// The id.
        id: String,
    },
    /// The columns of texts differ from those of the index.
    #[error("the codes come with {}, but the index has {}", columns(found), columns(expected))]
    Columns {
        /// Columns of the index.
        expected: Vec<String>,
        /// Columns given.
        found: Vec<String>,
    },
    /// There is not one row of texts a code.
    #[error("{n_texts} rows of texts were given for {n_codes} codes; give one row a code")]
    TextCount {
        /// Codes given.
        n_codes: usize,
        /// Rows of texts given.
        n_texts: usize,
    },
    /// A row of texts has too many or too few cells.
    #[error("a row of {found} texts was given for {expected} columns")]
    CellCount {
        /// Columns.
        expected: usize,
        /// Cells given.
        found: usize,
    },
    /// A text is too long.
    #[error("a text of {n_bytes} bytes is too long; the most is {}", u32::MAX)]
    CellLength {
        /// Its length.
        n_bytes: usize,
    },
    /// The names of the columns are too long for the head of a file.
    #[error("the names of the columns take {n_bytes} bytes; the most is {most}")]
    ColumnNames {
        /// Bytes that they take.
        n_bytes: usize,
        /// Bytes that there are.
        most: usize,
    },
    /// Codes of other encoders are stored.
    #[error("the codes were made by {found} but the index holds codes of {expected}; their bits mean different things")]
    Encoder {
        /// Fingerprint of the index.
        expected: Fingerprint,
        /// Fingerprint of the codes.
        found: Fingerprint,
    },
    /// There is not one weight a bit.
    #[error("{found} weights were given for codes of {expected} bits; give one weight a bit")]
    WeightCount {
        /// Bits of the index.
        expected: usize,
        /// Weights given.
        found: usize,
    },
    /// A weight is not a finite number ≥ 0.
    #[error("weight {bit} is {value}; weights must be finite and at least 0")]
    Weight {
        /// Bit of the weight.
        bit: usize,
        /// The weight.
        value: f32,
    },
    /// The weights are finite but their sum is not a finite f32.
    #[error("the weights sum to {sum:e}, beyond the range of distances ({:e}); scale them down", f32::MAX)]
    WeightSum {
        /// Sum of all weights.
        sum: f64,
    },
    /// A bit probability is not in [0, 1].
    #[error("query {query}, bit {bit}: the probability is {value}; it must lie in [0, 1]")]
    Probability {
        /// Row of the probability.
        query: usize,
        /// Bit of the probability.
        bit: usize,
        /// The value.
        value: f32,
    },
    /// The probabilities do not fill whole rows.
    #[error("{found} probabilities do not fill rows of {n_bits} bits")]
    ProbabilityCount {
        /// Bits of the index.
        n_bits: usize,
        /// Values given.
        found: usize,
    },
    /// Expected distances need bit probabilities, but codes were given.
    #[error("expected distances need the probabilities of a query's bits; the queries are codes")]
    NeedsProbabilities,
    /// Only expected distances take bit probabilities; this search needs codes.
    #[error("only expected distances are of bit probabilities; the other metrics need codes")]
    NeedsCodes,
    /// A radius is NaN or negative.
    #[error("the radius is {radius}; it must be a number of at least 0")]
    Radius {
        /// The radius.
        radius: f32,
    },
    /// Appended bits are not one row a stored code.
    #[error("{found} rows of new bits were given for {expected} stored codes; give one row a code, in row order")]
    ExtendRows {
        /// Stored codes.
        expected: usize,
        /// Rows given.
        found: usize,
    },
    /// A row set was made before the index changed, or from another index.
    #[error("the row set covers {found} rows at another revision than the index ({expected} rows); make it again")]
    StaleRows {
        /// Rows of the index.
        expected: usize,
        /// Rows of the set.
        found: usize,
    },
}

/// Lists columns for a message.
fn columns(names: &[String]) -> String {
    match names {
        [] => "no columns of texts".into(),
        names => format!("the columns {}", names.join(", ")),
    }
}
