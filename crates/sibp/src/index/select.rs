//! Keeps the best (distance, id) pairs seen so far: by counting for small integers, by a heap for any key.

use std::collections::BinaryHeap;

/// Entries from which on counting sorts faster than comparing.
const MANY: usize = 32;

/// Collects the candidates of one query and provides the bound below which distances still matter.
pub(crate) trait Select {
    /// A candidate with a distance `>= bound()` cannot change the answer.
    fn bound(&self) -> u32;
    /// Offers a candidate with a distance below the bound.
    fn offer(&mut self, distance: u32, id: u64);
    /// The chosen pairs, ordered by (distance, id).
    fn finish(self) -> Vec<(u32, u64)>;
}

/// The `k` nearest by integer distance, by counting.
///
/// Where ids rise with the rows and rows are offered in order, a later candidate at the k-th distance loses its tie,
/// so the bound is that distance itself; otherwise the k-th distance stays inside the bound and ids decide.
#[derive(Debug)]
pub(crate) struct Nearest {
    k: usize,
    in_order: bool,
    /// Once `k` are known: the k-th distance.
    kth: u32,
    /// How many offered candidates have a distance `<= kth`.
    within: usize,
    counts: Vec<u32>,
    entries: Vec<(u32, u64)>,
    /// A candidate must be less than this pair.
    worst: (u32, u64),
}

impl Nearest {
    /// Selects the `k` nearest. Distances are at most `n_bits`. `in_order`: candidates come with ascending ids.
    pub fn new(k: usize, n_bits: usize, in_order: bool) -> Self {
        let none = n_bits as u32 + 1;
        let worst = if k == 0 { (0, 0) } else { (none, 0) };
        Self { k, in_order, kth: none, within: 0, counts: vec![0; n_bits + 2], entries: Vec::new(), worst }
    }

    fn capacity(&self) -> usize {
        self.k.saturating_mul(2).saturating_add(256)
    }

    /// Keeps the best `k` of more than `k` entries, and counts them anew.
    fn compact(&mut self) {
        self.keep_best();
        self.counts.fill(0);
        for &(distance, _) in &self.entries {
            self.counts[distance as usize] += 1;
        }
        self.within = self.k;
        if !self.in_order {
            self.worst = self.entries[self.k - 1];
        }
    }

    /// Keeps the best `k` of more than `k` entries; the last of them comes last, or all stay in the order in which they
    /// came.
    fn keep_best(&mut self) {
        if self.in_order {
            self.drop_farther();
        } else {
            self.entries.select_nth_unstable(self.k - 1);
            self.entries.truncate(self.k);
        }
    }

    /// Drops what is farther than the k-th, and of those at its distance the last that are too many.
    fn drop_farther(&mut self) {
        let (kth, counts) = (self.kth, &self.counts);
        let mut room = self.k - (self.within - counts[kth as usize] as usize);
        self.entries.retain(|&(distance, _)| {
            let is_tied = distance == kth && room > 0;
            room -= usize::from(is_tied);
            distance < kth || is_tied
        });
    }
}

impl Select for Nearest {
    fn bound(&self) -> u32 {
        if self.k == 0 {
            0
        } else if self.in_order {
            self.kth
        } else {
            // At the start `kth` is one more than any distance.
            (self.kth + 1).min(self.counts.len() as u32 - 1)
        }
    }

    fn offer(&mut self, distance: u32, id: u64) {
        if (distance, id) >= self.worst {
            return;
        }
        self.entries.push((distance, id));
        self.counts[distance as usize] += 1;
        self.within += usize::from(distance <= self.kth);
        while self.within - self.counts[self.kth as usize] as usize >= self.k {
            self.within -= self.counts[self.kth as usize] as usize;
            self.kth -= 1;
        }
        if self.entries.len() > self.capacity() {
            self.compact();
        }
    }

    fn finish(mut self) -> Vec<(u32, u64)> {
        if self.entries.len() > self.k {
            self.keep_best();
        }
        if self.in_order && self.entries.len() > MANY {
            return by_distance(&self.entries, self.counts.len());
        }
        self.entries.sort_unstable();
        self.entries
    }
}

/// Sorts entries with ascending ids and distances below a bound, by counting.
fn by_distance(entries: &[(u32, u64)], bound: usize) -> Vec<(u32, u64)> {
    let mut starts = vec![0; bound];
    for &(distance, _) in entries {
        starts[distance as usize] += 1;
    }
    let mut first = 0;
    for start in &mut starts {
        (*start, first) = (first, first + *start);
    }
    let mut sorted = vec![(0, 0); entries.len()];
    for &entry in entries {
        let to = &mut starts[entry.0 as usize];
        sorted[*to] = entry;
        *to += 1;
    }
    sorted
}

/// Collects everything below a fixed bound.
#[derive(Debug)]
pub(crate) struct Within {
    bound: u32,
    entries: Vec<(u32, u64)>,
}

impl Within {
    pub fn new(bound: u32) -> Self {
        Self { bound, entries: Vec::new() }
    }
}

impl Select for Within {
    fn bound(&self) -> u32 {
        self.bound
    }

    fn offer(&mut self, distance: u32, id: u64) {
        self.entries.push((distance, id));
    }

    fn finish(mut self) -> Vec<(u32, u64)> {
        self.entries.sort_unstable();
        self.entries
    }
}

/// The `k` least by any 32-bit key, by a heap: for the bits of non-negative floats, which order like the floats.
#[derive(Debug)]
pub(crate) struct NearestKeys {
    k: usize,
    heap: BinaryHeap<(u32, u64)>,
}

impl NearestKeys {
    pub fn new(k: usize) -> Self {
        Self { k, heap: BinaryHeap::new() }
    }
}

impl Select for NearestKeys {
    fn bound(&self) -> u32 {
        match self.heap.peek() {
            _ if self.k == 0 => 0,
            Some(&(kth, _)) if self.heap.len() == self.k => kth.saturating_add(1),
            _ => u32::MAX,
        }
    }

    fn offer(&mut self, distance: u32, id: u64) {
        if self.heap.len() < self.k {
            self.heap.push((distance, id));
        } else if let Some(mut worst) = self.heap.peek_mut()
            && (distance, id) < *worst
        {
            *worst = (distance, id);
        }
    }

    fn finish(self) -> Vec<(u32, u64)> {
        self.heap.into_sorted_vec()
    }
}

/// The `k` least by any 32-bit key, and all whose key equals the last of them.
#[derive(Debug)]
pub(crate) struct NearestTied {
    k: usize,
    /// Above every key.
    most: u32,
    /// The `k` least keys so far.
    keys: BinaryHeap<u32>,
    entries: Vec<(u32, u64)>,
    /// Entries beyond the k-th key are dropped when there are this many.
    full: usize,
}

impl NearestTied {
    /// Selects among candidates whose keys are below `most`.
    pub fn new(k: usize, most: u32) -> Self {
        Self { k, most, keys: BinaryHeap::new(), entries: Vec::new(), full: k.saturating_mul(2).saturating_add(256) }
    }

    fn drop_farther(&mut self) {
        let bound = self.bound();
        self.entries.retain(|&(key, _)| key < bound);
    }
}

impl Select for NearestTied {
    fn bound(&self) -> u32 {
        match self.keys.peek() {
            _ if self.k == 0 => 0,
            Some(&kth) if self.keys.len() == self.k => kth.saturating_add(1).min(self.most),
            _ => self.most,
        }
    }

    fn offer(&mut self, distance: u32, id: u64) {
        if distance >= self.bound() {
            return;
        }
        self.entries.push((distance, id));
        if self.keys.len() < self.k {
            self.keys.push(distance);
        } else if let Some(mut kth) = self.keys.peek_mut()
            && distance < *kth
        {
            *kth = distance;
        }
        if self.entries.len() >= self.full {
            self.drop_farther();
            self.full = self.full.max(2 * self.entries.len());
        }
    }

    fn finish(mut self) -> Vec<(u32, u64)> {
        self.drop_farther();
        self.entries.sort_unstable();
        self.entries
    }
}
