//! Reads what is known about objects beside their codes: ids, and columns that ride along.

use anyhow::bail;
use sibp::data::{ColumnRef, Ids, ReadOptions, RowChunks, TextRows, read_id_numbers, read_ids};
use sibp::index::Texts;
use std::path::{Path, PathBuf};

/// Name of the column in which an index keeps text ids.
const ID: &str = "id";

/// Which ids and columns go with codes.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Ids and columns")]
pub struct DescribedArgs {
    /// Ids, one per row: text with one per line (.txt, .csv, .tsv), or .npy of whole numbers
    #[arg(long, value_name = "FILE")]
    pub ids: Option<PathBuf>,
    /// Column that holds the ids: its name or its number from 0; in --ids FILE, if that is given
    #[arg(long, value_name = "COLUMN")]
    pub id_column: Option<String>,
    /// Columns of text that are stored with the codes and printed with results; in --ids FILE, if that is given
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub keep: Vec<String>,
}

/// Ids and texts, in the order of the codes.
pub struct Described {
    /// Ids that are numbers, of all rows.
    pub numbers: Option<Vec<u64>>,
    /// Names of the columns of texts; text ids are the first one.
    pub columns: Vec<String>,
    /// Whether ids are texts.
    pub named: bool,
    rows: Rows,
    /// The file of the ids, for messages.
    source: Option<PathBuf>,
    n_taken: usize,
    /// Objects whose ids or texts were asked for.
    n_asked: usize,
}

/// Where the cells of a row come from.
enum Rows {
    None,
    /// From ids in memory.
    Ids(std::vec::IntoIter<String>),
    /// From a file of their own; `has_id` if its first column is an id that is a number and is not kept.
    File {
        rows: Box<TextRows>,
        has_id: bool,
    },
    /// From the rows of the inputs or codes.
    Chunk,
}

impl DescribedArgs {
    /// How the file of the inputs or codes is to be read.
    pub fn options(&self) -> ReadOptions {
        let own = |column: &String| ColumnRef::from(column.as_str());
        match self.ids {
            Some(_) => ReadOptions::default(),
            None => ReadOptions {
                id_column: self.id_column.as_ref().map(own),
                keep: self.keep.iter().map(own).collect(),
                ..ReadOptions::default()
            },
        }
    }

    /// Opens what is named; `objects` is the file of the inputs or codes.
    pub fn open(&self, objects: &Path, options: &ReadOptions) -> anyhow::Result<Described> {
        let described = match &self.ids {
            Some(path) if self.keep.is_empty() => self.ids_alone(path)?,
            Some(path) => self.ids_and_columns(path)?,
            None => self.of_objects(objects, options)?,
        };
        described.check_distinct()?;
        Ok(described)
    }

    /// Ids alone, from a file of their own.
    fn ids_alone(&self, path: &Path) -> anyhow::Result<Described> {
        let column = self.id_column.as_deref().map(ColumnRef::from);
        let options = ReadOptions { id_column: column, ..ReadOptions::default() };
        if is_npy(path) {
            return Ok(Described::numbered(read_id_numbers(path, &options)?, path));
        }
        let texts = read_ids(path, &options)?.texts().to_vec();
        Ok(match numbers(&texts) {
            Some(numbers) => Described::numbered(numbers, path),
            None => Described::of_texts(vec![ID.to_owned()], true, Rows::Ids(texts.into_iter()), path),
        })
    }

    /// Ids and columns, from a file of their own.
    fn ids_and_columns(&self, path: &Path) -> anyhow::Result<Described> {
        let columns: Vec<ColumnRef> = self.id_column.iter().chain(&self.keep).map(|c| c.as_str().into()).collect();
        let kept = TextRows::open(path, &columns)?.names()[usize::from(self.id_column.is_some())..].to_vec();
        let mut ids = Vec::new();
        if let Some(column) = columns.first().filter(|_| self.id_column.is_some()) {
            let mut rows = TextRows::open(path, std::slice::from_ref(column))?;
            while let Some(row) = rows.next_row()? {
                ids.extend(row);
            }
        }
        let numbers = numbers(&ids).filter(|_| self.id_column.is_some());
        let named = self.id_column.is_some() && numbers.is_none();
        let names = named.then(|| ID.to_owned()).into_iter().chain(kept).collect();
        let rows = Rows::File { rows: Box::new(TextRows::open(path, &columns)?), has_id: numbers.is_some() };
        Ok(Described { numbers, ..Described::of_texts(names, named, rows, path) })
    }

    /// Ids and columns of the inputs themselves. Whether all ids are numbers is known only after all were seen.
    fn of_objects(&self, path: &Path, options: &ReadOptions) -> anyhow::Result<Described> {
        if options.id_column.is_none() && options.keep.is_empty() {
            return Ok(Described::none());
        }
        let mut ids = Vec::new();
        let mut chunks = RowChunks::open(path, options, 4096)?;
        while options.id_column.is_some() && chunks.next().transpose()?.is_some() {
            ids.extend_from_slice(chunks.ids());
        }
        let numbers = numbers(&ids).filter(|_| options.id_column.is_some());
        let named = options.id_column.is_some() && numbers.is_none();
        let names = named.then(|| ID.to_owned()).into_iter().chain(self.keep.clone()).collect();
        Ok(Described { numbers, ..Described::of_texts(names, named, Rows::Chunk, path) })
    }
}

impl Described {
    /// Objects of which nothing is known.
    pub fn none() -> Self {
        let (columns, rows) = (Vec::new(), Rows::None);
        Self { numbers: None, columns, named: false, rows, source: None, n_taken: 0, n_asked: 0 }
    }

    /// Objects whose texts come with their codes.
    pub fn brought(numbers: Option<Vec<u64>>, named: bool) -> Self {
        Self { numbers, named, ..Self::none() }
    }

    /// Objects with these ids.
    pub fn of_ids(ids: &Ids) -> Self {
        match numbers(ids.texts()) {
            Some(numbers) => Self { numbers: Some(numbers), ..Self::none() },
            None => {
                let rows = Rows::Ids(ids.texts().to_vec().into_iter());
                Self { columns: vec![ID.to_owned()], named: true, rows, ..Self::none() }
            }
        }
    }

    fn numbered(numbers: Vec<u64>, source: &Path) -> Self {
        Self { numbers: Some(numbers), source: Some(source.to_owned()), ..Self::none() }
    }

    fn of_texts(columns: Vec<String>, named: bool, rows: Rows, source: &Path) -> Self {
        Self { columns, named, rows, source: Some(source.to_owned()), ..Self::none() }
    }

    fn check_distinct(&self) -> anyhow::Result<()> {
        let (Some(ids), Some(path)) = (&self.numbers, &self.source) else { return Ok(()) };
        let mut rows: Vec<(u64, usize)> = ids.iter().copied().zip(0..).collect();
        rows.sort_unstable();
        let again = rows.windows(2).filter(|pair| pair[0].0 == pair[1].0).min_by_key(|pair| pair[1].1);
        if let Some(&[(id, first), (_, second)]) = again {
            let path = path.display();
            bail!("{path}: the id {id} stands in row {first} and again in row {second}; ids must be unique");
        }
        Ok(())
    }

    /// The texts of the next `n` objects; `chunk` holds ids and kept cells that came with them. Fewer than `n` where a
    /// file of ids ends: [`Self::check_count`] says so in the end.
    pub fn take(&mut self, n: usize, chunk: &ChunkTexts) -> anyhow::Result<Option<Texts>> {
        self.n_asked += n;
        if self.columns.is_empty() {
            return Ok(None);
        }
        let mut texts = Texts::new(self.columns.clone());
        for row in 0..n {
            let cells = match &mut self.rows {
                Rows::None => None,
                Rows::Ids(ids) => ids.next().map(|id| vec![id]),
                Rows::File { rows, has_id } => rows.next_row()?.map(|row| row[usize::from(*has_id)..].to_vec()),
                Rows::Chunk => Some(chunk.row(row, self.named)),
            };
            match cells {
                Some(cells) => texts.push(&cells)?,
                None => break,
            }
        }
        self.n_taken += texts.len();
        Ok(Some(texts))
    }

    /// The ids of the next `n` objects, if they have some.
    pub fn take_ids(&mut self, n: usize, chunk: &ChunkTexts) -> anyhow::Result<Option<Vec<String>>> {
        if let Some(numbers) = &self.numbers {
            let first = self.n_taken;
            self.n_taken += n;
            self.n_asked += n;
            return Ok(Some(numbers.iter().skip(first).take(n).map(u64::to_string).collect()));
        }
        let texts = self.take(n, chunk)?.filter(|_| self.named);
        Ok(texts.map(|texts| (0..texts.len()).map(|row| texts.cell(row, 0).to_owned()).collect()))
    }

    /// Whether more objects were asked for than are known.
    pub fn is_short(&self) -> bool {
        let too_few = self.numbers.as_ref().is_some_and(|numbers| numbers.len() < self.n_asked);
        too_few || !self.columns.is_empty() && self.n_taken < self.n_asked
    }

    /// Refuses ids whose number differs from that of the objects, naming both files.
    pub fn check_count(&mut self, objects: &Path, n_objects: usize, what: &str) -> anyhow::Result<()> {
        let Some(path) = &self.source else { return Ok(()) };
        let n_ids = match (&self.numbers, &mut self.rows) {
            (Some(numbers), _) => numbers.len(),
            (None, Rows::Ids(left)) => self.n_taken + left.len(),
            (None, Rows::File { rows, .. }) => {
                while rows.next_row()?.is_some() {}
                rows.n_rows()
            }
            (None, Rows::None | Rows::Chunk) => return Ok(()),
        };
        if n_ids != n_objects {
            let (path, objects) = (path.display(), objects.display());
            bail!("{path} has {n_ids} ids but {objects} has {n_objects} {what}s; give one id a {what}");
        }
        Ok(())
    }
}

/// Ids and kept cells that came with a chunk of inputs or codes.
#[derive(Debug, Default)]
pub struct ChunkTexts {
    ids: Vec<String>,
    kept: Vec<String>,
    n_kept: usize,
}

impl ChunkTexts {
    /// Those of the last chunk that was read.
    pub fn of(chunks: &RowChunks, n_kept: usize) -> Self {
        Self { ids: chunks.ids().to_vec(), kept: chunks.kept().to_vec(), n_kept }
    }

    fn row(&self, row: usize, named: bool) -> Vec<String> {
        let id = named.then(|| self.ids[row].clone());
        id.into_iter().chain(self.kept[row * self.n_kept..(row + 1) * self.n_kept].iter().cloned()).collect()
    }
}

/// Ids to look for, numbers or texts as they are meant.
pub fn read_wanted_ids(path: &Path, named: bool) -> anyhow::Result<Wanted> {
    match named && !is_npy(path) {
        true => Ok(Wanted::Texts(sibp::data::read_texts(path, &ReadOptions::default())?)),
        false => Ok(Wanted::Numbers(read_id_numbers(path, &ReadOptions::default())?)),
    }
}

/// Ids to look for.
#[derive(Debug)]
pub enum Wanted {
    /// Numbers.
    Numbers(Vec<u64>),
    /// Texts.
    Texts(Vec<String>),
}

/// The texts as numbers, if each is one and is written as numbers are.
fn numbers(texts: &[String]) -> Option<Vec<u64>> {
    let number = |text: &String| text.parse::<u64>().ok().filter(|number| number.to_string() == *text);
    texts.iter().map(number).collect()
}

fn is_npy(path: &Path) -> bool {
    path.extension().is_some_and(|end| end.eq_ignore_ascii_case("npy"))
}
