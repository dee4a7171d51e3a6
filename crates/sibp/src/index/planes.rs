//! Lays codes out as byte planes in blocks of 64, so that one vector register holds the same byte of 64 codes.
//!
//! Rows `64·i .. 64·i + 64` form block `i`. A [`Group`] holds some consecutive byte planes of all blocks: line
//! `i · n_planes + p` is byte `p` (of the group) of the 64 codes of block `i`. A fresh index has one group;
//! extending the codes pushes another one, so the planes that were there stay where they are. Bits past the last row
//! and past the last bit are 0.

use super::backing::Backing;
use crate::codes::Codes;

/// Codes in a block.
pub(crate) const BLOCK: usize = 64;

/// One byte plane of one block: a cache line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C, align(64))]
pub(crate) struct Line(pub [u8; BLOCK]);

impl Line {
    pub const ZERO: Self = Self([0; BLOCK]);
}

/// Consecutive byte planes of all blocks.
#[derive(Debug)]
pub(crate) struct Group {
    pub n_planes: usize,
    pub lines: Backing<Line>,
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
        let group = Group { n_planes: n_bits.div_ceil(8), lines: Backing::Owned(Vec::new()) };
        Self { n_rows: 0, n_bits, groups: vec![group] }
    }

    /// One group of lines that are laid out already, as an index file holds them.
    pub fn from_lines(n_rows: usize, n_bits: usize, lines: Backing<Line>) -> Self {
        let n_planes = n_bits.div_ceil(8);
        assert_eq!(lines.len(), n_rows.div_ceil(BLOCK) * n_planes, "lines do not fill the blocks");
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

    /// Which lanes of a block are stored codes.
    pub fn lanes(&self, block: usize) -> u64 {
        match self.n_rows.saturating_sub(block * BLOCK) {
            0 => 0,
            n if n >= BLOCK => u64::MAX,
            n => (1 << n) - 1,
        }
    }

    /// The bytes of one code, byte 0 first.
    pub fn row_bytes(&self, row: usize) -> impl Iterator<Item = u8> + '_ {
        let (block, lane) = (row / BLOCK, row % BLOCK);
        self.groups.iter().flat_map(move |g| {
            g.lines[block * g.n_planes..(block + 1) * g.n_planes].iter().map(move |line| line.0[lane])
        })
    }

    /// The packed rows `first .. first + n`.
    pub fn codes(&self, first: usize, n: usize) -> Vec<u8> {
        (first..first + n).flat_map(|row| self.row_bytes(row)).collect()
    }

    /// Appends packed rows of the same width.
    pub fn append(&mut self, codes: &Codes) {
        let (n_rows, width) = (self.n_rows, self.n_planes());
        let n_blocks = (n_rows + codes.n_objects()).div_ceil(BLOCK);
        let mut first_plane = 0;
        for group in &mut self.groups {
            let lines = group.lines.make_owned();
            lines.resize(n_blocks * group.n_planes, Line::ZERO);
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
        let mut lines = vec![Line::ZERO; self.n_blocks() * n_new];
        for (row, code) in bits.bytes().chunks_exact(bits.n_bytes()).enumerate() {
            if used == 0 {
                scatter(&mut lines, n_new, row, code);
            } else {
                self.fill_last_byte(row, code[0] >> used);
                let shifted =
                    (0..n_new).map(|b| code[b] << (8 - used) | code.get(b + 1).map_or(0, |next| next >> used));
                scatter(&mut lines, n_new, row, &shifted.collect::<Vec<_>>());
            }
        }
        if n_new > 0 {
            self.groups.push(Group { n_planes: n_new, lines: Backing::Owned(lines) });
        }
        self.n_bits = total;
    }

    /// Sets bits in the unused end of a row's last byte.
    fn fill_last_byte(&mut self, row: usize, bits: u8) {
        if bits != 0
            && let Some(group) = self.groups.last_mut()
        {
            let at = (row / BLOCK + 1) * group.n_planes - 1;
            group.lines.make_owned()[at].0[row % BLOCK] |= bits;
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
                for p in 0..n_planes {
                    let byte = lines[from / BLOCK * n_planes + p].0[from % BLOCK];
                    lines[to / BLOCK * n_planes + p].0[to % BLOCK] = byte;
                }
            }
            clear_after(lines, n_planes, left);
        }
        self.n_rows = left;
    }
}

fn scatter(lines: &mut [Line], n_planes: usize, row: usize, bytes: &[u8]) {
    let block = &mut lines[row / BLOCK * n_planes..(row / BLOCK + 1) * n_planes];
    for (line, &byte) in block.iter_mut().zip(bytes) {
        line.0[row % BLOCK] = byte;
    }
}

/// Shortens the lines to `n_rows` rows and zeroes the lanes after the last.
fn clear_after(lines: &mut Vec<Line>, n_planes: usize, n_rows: usize) {
    lines.truncate(n_rows.div_ceil(BLOCK) * n_planes);
    if n_rows % BLOCK != 0 {
        let last = lines.len() - n_planes;
        for line in &mut lines[last..] {
            line.0[n_rows % BLOCK..].fill(0);
        }
    }
}
