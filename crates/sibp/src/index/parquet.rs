//! Writes the codes as a Parquet file of two columns, with plain column writers (no Arrow).
//!
//! | column | type |
//! |---|---|
//! | `id` | 64-bit unsigned integer |
//! | `code` | as many bytes as a code has, packed as numpy's `packbits` does |
//!
//! The number of bits stands in the file's metadata under `sibp.bits`.

use std::io;
use std::path::Path;
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::data_type::{FixedLenByteArray, FixedLenByteArrayType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use super::HammingIndex;
use super::file::IndexFileError;
use crate::data::AtomicFile;

/// Rows in a row group: enough for pages of a good size, few enough to hold.
const GROUP: usize = 1 << 18;

/// Rows taken from the planes at a time.
const CHUNK: usize = 1 << 14;

impl HammingIndex {
    /// Writes a Parquet file of the columns `id` and `code`, in place of what was there.
    pub fn export_parquet(&self, path: &Path) -> Result<(), IndexFileError> {
        let write = || {
            let file = self.write_parquet(AtomicFile::create(path)?).map_err(|error| match error {
                ParquetError::External(source) => io::Error::other(source),
                other => io::Error::other(other),
            })?;
            file.commit()
        };
        write().map_err(|source| IndexFileError::io(path, source))
    }

    fn write_parquet(&self, file: AtomicFile) -> Result<AtomicFile, ParquetError> {
        let width = self.planes.n_planes();
        let schema = parse_message_type(&format!(
            "message codes {{ required int64 id (UINT_64); required fixed_len_byte_array({width}) code; }}"
        ))?;
        // Codes are nearly random: neither a dictionary nor their least and greatest value helps a reader.
        let properties = WriterProperties::builder()
            .set_dictionary_enabled(false)
            .set_compression(Compression::SNAPPY)
            .set_column_statistics_enabled("code".into(), EnabledStatistics::None)
            .set_key_value_metadata(Some(vec![KeyValue::new("sibp.bits".into(), self.n_bits().to_string())]))
            .build();
        let mut writer = SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties))?;
        for first in (0..self.len()).step_by(GROUP) {
            let rows = first..(first + GROUP).min(self.len());
            let mut group = writer.next_row_group()?;
            if let Some(mut column) = group.next_column()? {
                // Parquet keeps unsigned numbers in the bits of signed ones.
                let ids: Vec<i64> = rows.clone().map(|row| self.ids.get(row) as i64).collect();
                column.typed::<Int64Type>().write_batch(&ids, None, None)?;
                column.close()?;
            }
            if let Some(mut column) = group.next_column()? {
                for first in rows.clone().step_by(CHUNK) {
                    let bytes = self.planes.codes(first, CHUNK.min(rows.end - first));
                    let codes: Vec<_> =
                        bytes.chunks_exact(width).map(|code| FixedLenByteArray::from(code.to_vec())).collect();
                    column.typed::<FixedLenByteArrayType>().write_batch(&codes, None, None)?;
                }
                column.close()?;
            }
            group.close()?;
        }
        writer.into_inner()
    }
}

#[cfg(test)]
mod tests {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::RowAccessor;

    use super::*;
    use crate::codes::Codes;

    fn read_back(path: &Path) -> (Option<String>, Vec<(u64, Vec<u8>)>) {
        let reader = SerializedFileReader::new(std::fs::File::open(path).unwrap()).unwrap();
        let notes = reader.metadata().file_metadata().key_value_metadata().cloned().unwrap_or_default();
        let bits = notes.into_iter().find(|note| note.key == "sibp.bits").and_then(|note| note.value);
        let rows = reader.get_row_iter(None).unwrap().map(|row| {
            let row = row.unwrap();
            (row.get_ulong(0).unwrap(), row.get_bytes(1).unwrap().data().to_vec())
        });
        (bits, rows.collect())
    }

    #[test]
    fn every_row_comes_back_over_several_groups() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("codes.parquet");
        let n = GROUP + 300;
        let bytes: Vec<u8> = (0..2 * n).map(|i| if i % 2 == 0 { (i * 7) as u8 } else { (i as u8) << 4 }).collect();
        let codes = Codes::from_bytes(n, 12, bytes).unwrap();
        let ids: Vec<u64> = (0..n as u64).map(|row| u64::MAX - 5 * row).collect();
        let mut index = HammingIndex::new(12).unwrap();
        index.add(&codes, Some(&ids)).unwrap();
        index.export_parquet(&path).unwrap();
        let (bits, rows) = read_back(&path);
        assert_eq!((bits.as_deref(), rows.len()), (Some("12"), n));
        for (row, (id, code)) in rows.iter().enumerate() {
            assert_eq!((*id, code.as_slice()), (ids[row], codes.row(row)), "row {row}");
        }
    }

    #[test]
    fn an_empty_index_gives_an_empty_table_and_a_folder_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("codes.parquet");
        let index = HammingIndex::new(9).unwrap();
        index.export_parquet(&path).unwrap();
        assert_eq!(read_back(&path), (Some("9".into()), Vec::new()));
        let error = index.export_parquet(folder.path()).unwrap_err().to_string();
        assert!(error.contains("regular file"), "{error}");
    }
}
