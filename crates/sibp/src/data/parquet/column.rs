//! Reads one column of a row group as numbers or as texts.

use parquet::basic::{ConvertedType, LogicalType, Type};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::schema::types::ColumnDescriptor;

use super::broken;
use crate::data::DataError;
use crate::data::npy::half;

/// Records asked for at once; memory grows only as values really come.
const AT_ONCE: usize = 8192;

/// A column's values with the definition and repetition levels that mark nulls and list borders.
pub(super) struct Column<V> {
    /// The values that are not null.
    pub values: Vec<V>,
    /// For each slot, how much of its path is there; empty where nothing can be null.
    pub definition: Vec<i16>,
    /// For each slot, 0 where a row begins; empty without lists.
    pub repetition: Vec<i16>,
}

impl<V> Column<V> {
    fn read<T: DataType>(
        mut reader: ColumnReaderImpl<T>,
        convert: impl Fn(&T::T) -> Result<V, DataError>,
    ) -> Result<Self, DataError> {
        let mut column = Self { values: Vec::new(), definition: Vec::new(), repetition: Vec::new() };
        let mut piece: Vec<T::T> = Vec::new();
        loop {
            piece.clear();
            let (definition, repetition) = (&mut column.definition, &mut column.repetition);
            let (n_records, _, n_levels) = reader
                .read_records(AT_ONCE, Some(definition), Some(repetition), &mut piece)
                .map_err(|error| broken(error.to_string()))?;
            if n_records == 0 && n_levels == 0 {
                return Ok(column);
            }
            for value in &piece {
                column.values.push(convert(value)?);
            }
        }
    }
}

/// Whether the column's type is a plain number.
pub(super) fn check_numeric(descriptor: &ColumnDescriptor, name: &str) -> Result<(), DataError> {
    let found = type_name(descriptor);
    let plain = matches!(descriptor.logical_type_ref(), None | Some(LogicalType::Integer(_) | LogicalType::Float16))
        && !matches!(
            descriptor.converted_type(),
            ConvertedType::DECIMAL
                | ConvertedType::DATE
                | ConvertedType::TIME_MILLIS
                | ConvertedType::TIME_MICROS
                | ConvertedType::TIMESTAMP_MILLIS
                | ConvertedType::TIMESTAMP_MICROS
        );
    let numeric = match descriptor.physical_type() {
        Type::BOOLEAN | Type::INT32 | Type::INT64 | Type::FLOAT | Type::DOUBLE => plain,
        Type::FIXED_LEN_BYTE_ARRAY => is_half(descriptor),
        _ => false,
    };
    if numeric {
        return Ok(());
    }
    Err(DataError::WrongType {
        what: format!("column {name:?}"),
        found,
        needed: "inputs must be numbers; name it as id or label column, or leave it out of the file",
    })
}

/// Reads numbers, as checked by [`check_numeric`].
pub(super) fn numbers(reader: ColumnReader, descriptor: &ColumnDescriptor) -> Result<Column<f64>, DataError> {
    let unsigned = is_unsigned(descriptor);
    match reader {
        ColumnReader::BoolColumnReader(r) => Column::read(r, |v| Ok(f64::from(u8::from(*v)))),
        ColumnReader::Int32ColumnReader(r) if unsigned => Column::read(r, |v| Ok(f64::from(*v as u32))),
        ColumnReader::Int32ColumnReader(r) => Column::read(r, |v| Ok(f64::from(*v))),
        ColumnReader::Int64ColumnReader(r) if unsigned => Column::read(r, |v| Ok(*v as u64 as f64)),
        ColumnReader::Int64ColumnReader(r) => Column::read(r, |v| Ok(*v as f64)),
        ColumnReader::FloatColumnReader(r) => Column::read(r, |v| Ok(f64::from(*v))),
        ColumnReader::DoubleColumnReader(r) => Column::read(r, |v| Ok(*v)),
        ColumnReader::FixedLenByteArrayColumnReader(r) if is_half(descriptor) => Column::read(r, |v| match v.data() {
            [low, high] => Ok(half(u16::from_le_bytes([*low, *high]))),
            _ => Err(broken("a 16-bit number has not 2 bytes")),
        }),
        _ => Err(broken("a column's type changes between its footer and its data")),
    }
}

/// Reads ids or labels: text or whole numbers.
pub(super) fn texts(
    reader: ColumnReader,
    descriptor: &ColumnDescriptor,
    name: &str,
) -> Result<Column<String>, DataError> {
    let unsigned = is_unsigned(descriptor);
    match reader {
        ColumnReader::Int32ColumnReader(r) if unsigned => Column::read(r, |v| Ok((*v as u32).to_string())),
        ColumnReader::Int32ColumnReader(r) => Column::read(r, |v| Ok(v.to_string())),
        ColumnReader::Int64ColumnReader(r) if unsigned => Column::read(r, |v| Ok((*v as u64).to_string())),
        ColumnReader::Int64ColumnReader(r) => Column::read(r, |v| Ok(v.to_string())),
        ColumnReader::BoolColumnReader(r) => Column::read(r, |v| Ok(v.to_string())),
        ColumnReader::ByteArrayColumnReader(r) => Column::read(r, |v| {
            let text = std::str::from_utf8(v.data()).map(str::to_owned);
            text.map_err(|_| broken(format!("column {name:?} holds bytes that are not UTF-8 text")))
        }),
        _ => Err(DataError::WrongType {
            what: format!("column {name:?}"),
            found: type_name(descriptor),
            needed: "ids and labels must be text or whole numbers",
        }),
    }
}

fn is_unsigned(descriptor: &ColumnDescriptor) -> bool {
    use ConvertedType::{UINT_8, UINT_16, UINT_32, UINT_64};
    let logical = matches!(descriptor.logical_type_ref(), Some(LogicalType::Integer(kind)) if !kind.is_signed);
    logical || matches!(descriptor.converted_type(), UINT_8 | UINT_16 | UINT_32 | UINT_64)
}

fn is_half(descriptor: &ColumnDescriptor) -> bool {
    matches!(descriptor.logical_type_ref(), Some(LogicalType::Float16)) && descriptor.type_length() == 2
}

fn type_name(descriptor: &ColumnDescriptor) -> String {
    match descriptor.logical_type_ref() {
        Some(logical) => format!("{} ({logical:?})", descriptor.physical_type()),
        None => descriptor.physical_type().to_string(),
    }
}
