//! Writes codes as SQL that psql runs, for PostgreSQL with pgvector (`sibp export --to postgres`).
//!
//! The tables are those of `sibp.postgres` in Python, whose tests run this file and search what it made.

use super::CHUNK;
use crate::failure::usage;
use sibp::data::AtomicFile;
use sibp::index::HammingIndex;
use std::io::{self, Write};
use std::path::Path;

/// What the file begins with.
pub const FIRST_WORDS: &str = "-- Codes of sibp";

/// Longer names are cut by the server.
const LONGEST_NAME: usize = 63;

/// Writes the file; it appears when it is complete.
pub fn write(index: &HammingIndex, name: &str, out: &Path) -> anyhow::Result<()> {
    let columns = further_columns(index);
    for identifier in std::iter::once(name).chain(columns.iter().copied()) {
        if identifier.is_empty() || identifier.len() > LONGEST_NAME || identifier.contains(['\0', '\n']) {
            return Err(usage(format!(
                "{identifier:?} is no name in PostgreSQL: 1 to {LONGEST_NAME} bytes in one line"
            )));
        }
    }
    if let Some(taken) = columns.iter().find(|column| ["id", "code", "code_id"].contains(column)) {
        return Err(usage(format!("the column {taken} has another meaning in PostgreSQL; build the index without it")));
    }
    if !index.is_named()
        && let Some(id) = index.ids().find(|&id| id > i64::MAX as u64)
    {
        return Err(usage(format!("the id {id} is too large for a bigint of PostgreSQL")));
    }
    let mut file = AtomicFile::create(out)?;
    let schema = Schema { name: quoted(name), bits: index.n_bits(), named: index.is_named(), columns };
    schema.write_tables(&mut file)?;
    write_rows(index, schema.columns.len(), &mut file)?;
    schema.write_end(&mut file)?;
    Ok(file.commit()?)
}

/// What is stored with codes beside their ids.
fn further_columns(index: &HammingIndex) -> Vec<&str> {
    let columns = index.texts().map_or(&[][..], |texts| texts.columns());
    columns.iter().skip(usize::from(index.is_named())).map(String::as_str).collect()
}

struct Schema<'a> {
    name: String,
    bits: usize,
    named: bool,
    columns: Vec<&'a str>,
}

impl Schema<'_> {
    fn write_tables(&self, file: &mut impl Write) -> io::Result<()> {
        let Self { name, bits, .. } = self;
        let (kind, id) = if self.named { ("text", "text COLLATE \"C\"") } else { ("bigint", "bigint") };
        let typed = self.list(|column| format!(", {column} text"));
        write!(
            file,
            "{FIRST_WORDS} for PostgreSQL with pgvector 0.8 or later: psql -f this\n\
             \\set ON_ERROR_STOP on\n\
             BEGIN;\n\
             CREATE EXTENSION IF NOT EXISTS vector;\n\
             CREATE SCHEMA {name};\n\
             CREATE TABLE {name}.about (format integer NOT NULL, bits integer NOT NULL, ids text NOT NULL);\n\
             INSERT INTO {name}.about VALUES (1, {bits}, '{kind}');\n\
             CREATE TABLE {name}.code (code_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, code bit({bits}) NOT NULL UNIQUE);\n\
             CREATE TABLE {name}.object (id {id} PRIMARY KEY, code_id bigint NOT NULL REFERENCES {name}.code{typed});\n\
             CREATE TEMPORARY TABLE sibp_stage (id {id}, code bit({bits}){typed}) ON COMMIT DROP;\n\
             COPY sibp_stage FROM STDIN;\n"
        )
    }

    /// Distinct codes, then who has them; indexes last, since that is faster.
    fn write_end(&self, file: &mut impl Write) -> io::Result<()> {
        let Self { name, .. } = self;
        let (listed, shown) = (self.list(|column| format!(", {column}")), self.list(|column| format!(", o.{column}")));
        write!(
            file,
            "\\.\n\
             INSERT INTO {name}.code (code) SELECT DISTINCT code FROM sibp_stage ORDER BY code;\n\
             INSERT INTO {name}.object (id, code_id{listed}) SELECT id, code_id{listed} FROM sibp_stage JOIN {name}.code USING (code);\n\
             CREATE INDEX object_code_id ON {name}.object (code_id, id);\n\
             CREATE INDEX code_hnsw ON {name}.code USING hnsw (code bit_hamming_ops);\n\
             CREATE VIEW {name}.coded AS SELECT o.id, c.code{shown} FROM {name}.object o JOIN {name}.code c USING (code_id);\n\
             ANALYZE {name}.code, {name}.object;\n\
             COMMIT;\n"
        )
    }

    fn list(&self, write: impl Fn(String) -> String) -> String {
        self.columns.iter().map(|column| write(quoted(column))).collect()
    }
}

fn write_rows(index: &HammingIndex, n_columns: usize, file: &mut impl Write) -> io::Result<()> {
    let first_cell = usize::from(index.is_named());
    let mut ids = index.ids();
    for first in (0..index.len()).step_by(CHUNK) {
        let codes = index.codes_of_rows(first..(first + CHUNK).min(index.len()));
        let width = index.n_bits().div_ceil(8);
        for (row, (code, id)) in (first..).zip(codes.bytes().chunks_exact(width).zip(ids.by_ref())) {
            let texts = index.texts().filter(|_| first_cell + n_columns > 0);
            match texts.filter(|_| first_cell == 1) {
                Some(texts) => file.write_all(escaped(texts.cell(row, 0)).as_bytes())?,
                None => write!(file, "{id}")?,
            }
            file.write_all(b"\t")?;
            file.write_all(&digits(code, index.n_bits()))?;
            for column in first_cell..first_cell + n_columns {
                let cell = texts.map_or("", |texts| texts.cell(row, column));
                write!(file, "\t{}", escaped(cell))?;
            }
            file.write_all(b"\n")?;
        }
    }
    Ok(())
}

/// The bits of a packed code as 0 and 1; bit 0 is the highest of byte 0.
fn digits(code: &[u8], n_bits: usize) -> Vec<u8> {
    (0..n_bits).map(|bit| b'0' + (code[bit / 8] >> (7 - bit % 8) & 1)).collect()
}

/// A text as COPY reads it.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r")
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_come_in_the_order_of_bits() {
        assert_eq!(digits(&[0b1000_0001, 0b0100_0000], 10), b"1000000101");
    }

    #[test]
    fn names_and_texts_cannot_leave_their_place() {
        assert_eq!(quoted("a\"b"), "\"a\"\"b\"");
        assert_eq!(escaped("a\tb\\.\nc"), "a\\tb\\\\.\\nc");
    }
}
