//! Makes small Parquet files for the tests.

use std::sync::Arc;

use parquet::basic::Compression;
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, FloatType, Int32Type, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::parser::parse_message_type;

/// A column of one row group.
#[derive(Clone)]
pub enum Cells {
    Double(Vec<f64>),
    Float(Vec<Option<f32>>),
    Int(Vec<Option<i32>>),
    Long(Vec<i64>),
    OptionalLong(Vec<Option<i64>>),
    Bool(Vec<bool>),
    Text(Vec<&'static str>),
}

/// A file with these row groups.
pub fn file(schema: &str, groups: &[Vec<Cells>], compression: Compression) -> Vec<u8> {
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let properties = Arc::new(WriterProperties::builder().set_compression(compression).build());
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, properties).unwrap();
    for columns in groups {
        let mut group = writer.next_row_group().unwrap();
        for cells in columns {
            let mut column = group.next_column().unwrap().unwrap();
            write(&mut column, cells);
            column.close().unwrap();
        }
        group.close().unwrap();
    }
    writer.into_inner().unwrap()
}

fn write(column: &mut SerializedColumnWriter<'_>, cells: &Cells) {
    fn levels<T>(values: &[Option<T>]) -> Vec<i16> {
        values.iter().map(|v| i16::from(v.is_some())).collect()
    }
    let written = match cells {
        Cells::Double(v) => column.typed::<DoubleType>().write_batch(v, None, None),
        Cells::Long(v) => column.typed::<Int64Type>().write_batch(v, None, None),
        Cells::Bool(v) => column.typed::<BoolType>().write_batch(v, None, None),
        Cells::Text(v) => {
            let values: Vec<ByteArray> = v.iter().map(|&t| ByteArray::from(t)).collect();
            column.typed::<ByteArrayType>().write_batch(&values, None, None)
        }
        Cells::Float(v) => {
            let values: Vec<f32> = v.iter().flatten().copied().collect();
            column.typed::<FloatType>().write_batch(&values, Some(&levels(v)), None)
        }
        Cells::Int(v) => {
            let values: Vec<i32> = v.iter().flatten().copied().collect();
            column.typed::<Int32Type>().write_batch(&values, Some(&levels(v)), None)
        }
        Cells::OptionalLong(v) => {
            let values: Vec<i64> = v.iter().flatten().copied().collect();
            column.typed::<Int64Type>().write_batch(&values, Some(&levels(v)), None)
        }
    };
    written.unwrap();
}

/// A file with one column `v` of lists, as Arrow writes it.
pub fn list_file(rows: &[Vec<Option<f32>>]) -> Vec<u8> {
    let schema = "message m { optional group v (LIST) { repeated group list { optional float element; } } }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let properties = Arc::new(WriterProperties::builder().build());
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, properties).unwrap();
    let (mut values, mut definition, mut repetition) = (Vec::new(), Vec::new(), Vec::new());
    for row in rows {
        if row.is_empty() {
            definition.push(1);
            repetition.push(0);
        }
        for (at, value) in row.iter().enumerate() {
            values.extend(value);
            definition.push(if value.is_some() { 3 } else { 2 });
            repetition.push(i16::from(at > 0));
        }
    }
    let mut group = writer.next_row_group().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<FloatType>().write_batch(&values, Some(&definition), Some(&repetition)).unwrap();
    column.close().unwrap();
    group.close().unwrap();
    writer.into_inner().unwrap()
}
