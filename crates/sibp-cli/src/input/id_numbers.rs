//! Reads the ids of codes, which are whole numbers, from a file of their own.

use anyhow::bail;
use sibp::data::{ColumnRef, ReadOptions, read_id_numbers};
use std::path::{Path, PathBuf};

/// Where the ids of codes stand.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct IdArgs {
    /// Ids of the codes, whole numbers, one a row: .npy, or text with one a line (.txt, .csv, .tsv)
    #[arg(long, value_name = "FILE")]
    pub ids: Option<PathBuf>,
    /// Column of the ids file, if it has several: its name or its number from 0
    #[arg(long, value_name = "COLUMN", requires = "ids")]
    pub id_column: Option<String>,
}

impl IdArgs {
    /// Reads the ids, if a file was named; an id may come twice.
    pub fn read(&self) -> anyhow::Result<Option<Vec<u64>>> {
        let options = ReadOptions { id_column: self.id_column.as_deref().map(ColumnRef::from), ..Default::default() };
        Ok(self.ids.as_ref().map(|path| read_id_numbers(path, &options)).transpose()?)
    }

    /// Reads the ids, if a file was named, and checks that they are distinct.
    pub fn read_distinct(&self) -> anyhow::Result<Option<Vec<u64>>> {
        let (Some(ids), Some(path)) = (self.read()?, &self.ids) else { return Ok(None) };
        let mut rows: Vec<(u64, usize)> = ids.iter().copied().zip(0..).collect();
        rows.sort_unstable();
        let again = rows.windows(2).filter(|pair| pair[0].0 == pair[1].0).min_by_key(|pair| pair[1].1);
        if let Some(&[(id, first), (_, second)]) = again {
            let path = path.display();
            bail!("{path}: the id {id} stands in row {first} and again in row {second}; ids must be unique");
        }
        Ok(Some(ids))
    }

    /// Refuses ids whose number differs from that of the codes, naming both files.
    pub fn check_count(&self, ids: Option<&[u64]>, codes: &Path, n_codes: usize) -> anyhow::Result<()> {
        if let (Some(ids), Some(path)) = (ids, &self.ids)
            && ids.len() != n_codes
        {
            let (path, codes) = (path.display(), codes.display());
            bail!("{path} has {} ids but {codes} has {n_codes} codes; give one id a code", ids.len());
        }
        Ok(())
    }
}

/// Reads a file of ids, one a row; an id may come twice.
pub fn read_id_file(path: &Path) -> anyhow::Result<Vec<u64>> {
    Ok(read_id_numbers(path, &ReadOptions::default())?)
}
