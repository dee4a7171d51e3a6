//! Lays codes out as byte planes, so that one vector register holds the same byte of 64 codes.
//!
//! 64 consecutive rows are a strip; 4 strips, 256 rows, are a block. A [`Group`] holds some consecutive byte planes of
//! all blocks: block after block, in a block plane after plane, in a plane 4 lines of 64 bytes, one a strip.
//! A scan routine that takes a block at a time thus reads memory from front to back.
//!
//! A fresh index has one group; extending the codes pushes another one, so the planes that were there stay where they
//! are. The last block is filled up with zero codes, the last byte of a code with zero bits.

use crate::backing::{Backing, Line};
use crate::codes::Codes;

/// Rows in a strip.
pub(crate) const STRIP: usize = 64;

/// Strips in a block.
pub(crate) const STRIPS: usize = 4;

/// Rows in a block.
pub(crate) const BLOCK: usize = STRIP * STRIPS;

/// Consecutive byte planes of all blocks.
#[derive(Debug)]
pub(crate) struct Group {
    pub n_planes: usize,
    pub lines: Backing<Line>,
}

impl Group {
    /// The lines of one block: plane after plane, [`STRIPS`] each.
    #[inline(always)]
    pub fn block(&self, block: usize) -> &[Line] {
        let size = self.n_planes * STRIPS;
        &self.lines[block * size..(block + 1) * size]
    }

    /// How many lines ahead a scan that waits for memory asks for: 8 KiB, or a whole block where that is more. A scan
    /// that does not read a block from front to back needs the line long before it is 8 KiB away, and processors
    /// foresee little of such a scan.
    #[inline(always)]
    pub fn ahead(&self) -> usize {
        (self.n_planes * STRIPS).max(128)
    }
}

/// All planes of all codes.
#[derive(Debug)]
pub(crate) struct Planes {
    n_rows: usize,
    n_bits: usize,
    groups: Vec<Group>,
}

impl Planes {
    pub fn new(n_bits: usize) -> Self {
        Self::from_lines(0, n_bits, Backing::Owned(Vec::new()))
    }

    /// One group of lines that are laid out already, as an index file holds them.
    pub fn from_lines(n_rows: usize, n_bits: usize, lines: Backing<Line>) -> Self {
        let n_planes = n_bits.div_ceil(8);
        assert_eq!(lines.len(), n_rows.div_ceil(BLOCK) * n_planes * STRIPS, "lines do not fill the blocks");
        Self { n_rows, n_bits, groups: vec![Group { n_planes, lines }] }
    }

    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    pub fn n_bits(&self) -> usize {
        self.n_bits
    }

    pub fn n_planes(&self) -> usize {
        self.n_bits.div_ceil(8)
    }

    pub fn n_blocks(&self) -> usize {
        self.n_rows.div_ceil(BLOCK)
    }

    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// The lines of a strip, one a plane.
    #[inline(always)]
    pub fn strip(&self, strip: usize) -> impl Iterator<Item = &Line> {
        self.groups.iter().flat_map(move |g| g.block(strip / STRIPS).iter().skip(strip % STRIPS).step_by(STRIPS))
    }

    /// The bytes of one code, byte 0 first.
    #[inline(always)]
    pub fn row_bytes(&self, row: usize) -> impl Iterator<Item = u8> + '_ {
        self.strip(row / STRIP).map(move |line| line.0[row % STRIP])
    }

    /// The packed rows `first .. first + n`.
    pub fn codes(&self, first: usize, n: usize) -> Vec<u8> {
        let width = self.n_planes();
        let used = 0xff << (8 * width - self.n_bits);
        let mut bytes = Vec::with_capacity(n * width);
        for row in first..first + n {
            bytes.extend(self.row_bytes(row));
            // Only a damaged file has bits set there.
            if let Some(last) = bytes.last_mut() {
                *last &= used as u8;
            }
        }
        bytes
    }

    /// Appends packed rows of the same width.
    pub fn append(&mut self, codes: &Codes) {
        let (n_rows, width) = (self.n_rows, self.n_planes());
        let n_blocks = (n_rows + codes.n_objects()).div_ceil(BLOCK);
        let mut first_plane = 0;
        for group in &mut self.groups {
            group.lines.resize(n_blocks * group.n_planes * STRIPS, Line::ZERO);
            let lines = group.lines.make_owned();
            let planes = first_plane..first_plane + group.n_planes;
            for (row, code) in (n_rows..).zip(codes.bytes().chunks_exact(width)) {
                scatter(lines, group.n_planes, row, &code[planes.clone()]);
            }
            first_plane += group.n_planes;
        }
        self.n_rows += codes.n_objects();
    }

    /// Appends the bits of `bits` (a row a stored code) after the last bit of every code.
    pub fn extend(&mut self, bits: &Codes) {
        let used = self.n_bits % 8;
        let total = self.n_bits + bits.n_bits();
        let n_new = total.div_ceil(8) - self.n_planes();
        let mut lines = Backing::Owned(Vec::new());
        lines.resize(self.n_blocks() * n_new * STRIPS, Line::ZERO);
        for (row, code) in bits.bytes().chunks_exact(bits.n_bytes()).enumerate() {
            if used == 0 {
                scatter(lines.make_owned(), n_new, row, code);
            } else {
                self.fill_last_byte(row, code[0] >> used);
                let byte = |b: usize| code[b] << (8 - used) | code.get(b + 1).map_or(0, |next| next >> used);
                scatter(lines.make_owned(), n_new, row, &(0..n_new).map(byte).collect::<Vec<_>>());
            }
        }
        if n_new > 0 {
            self.groups.push(Group { n_planes: n_new, lines });
        }
        self.n_bits = total;
    }

    /// Sets bits in the unused end of a row's last byte.
    fn fill_last_byte(&mut self, row: usize, bits: u8) {
        if bits != 0
            && let Some(group) = self.groups.last_mut()
        {
            let at = line_of(group.n_planes, row) + (group.n_planes - 1) * STRIPS;
            group.lines.make_owned()[at].0[row % STRIP] |= bits;
        }
    }

    /// Drops the given rows (sorted, distinct) and closes the gaps, keeping the order of the others.
    pub fn remove_rows(&mut self, rows: &[usize]) {
        let Some(&first) = rows.first() else { return };
        let left = self.n_rows - rows.len();
        for group in &mut self.groups {
            let n_planes = group.n_planes;
            let lines = group.lines.make_owned();
            let mut drop = rows.iter().peekable();
            let kept = (first..self.n_rows).filter(|row| drop.next_if(|&r| r == row).is_none());
            for (to, from) in (first..).zip(kept) {
                let (to_line, from_line) = (line_of(n_planes, to), line_of(n_planes, from));
                for p in 0..n_planes {
                    lines[to_line + p * STRIPS].0[to % STRIP] = lines[from_line + p * STRIPS].0[from % STRIP];
                }
            }
            lines.truncate(left.div_ceil(BLOCK) * n_planes * STRIPS);
            let zeros = vec![0; n_planes];
            for row in left..left.next_multiple_of(BLOCK) {
                scatter(lines, n_planes, row, &zeros);
            }
        }
        self.n_rows = left;
    }
}

/// Which lanes of a strip are stored codes, when `n_rows` are stored.
pub(crate) fn stored_lanes(n_rows: usize, strip: usize) -> u64 {
    match n_rows.saturating_sub(strip * STRIP) {
        0 => 0,
        n if n >= STRIP => u64::MAX,
        n => (1 << n) - 1,
    }
}

/// The line that holds byte 0 of a row; byte `p` is in the line `p · STRIPS` further.
fn line_of(n_planes: usize, row: usize) -> usize {
    row / BLOCK * n_planes * STRIPS + row % BLOCK / STRIP
}

/// Writes one row into lines that are laid out in blocks.
pub(crate) fn scatter(lines: &mut [Line], n_planes: usize, row: usize, bytes: &[u8]) {
    let first = line_of(n_planes, row);
    for (p, &byte) in bytes.iter().enumerate() {
        lines[first + p * STRIPS].0[row % STRIP] = byte;
    }
}
