//! Maintains the links to each object while links change one at a time, so that all objects that reach one are found
//! quickly.

/// Marks the absence of an object.
const NONE: u32 = u32::MAX;

/// For every object the list of those that link to it.
#[derive(Debug, Default)]
pub(super) struct LinkForest {
    first: Vec<u32>,
    next: Vec<u32>,
    previous: Vec<u32>,
    reaching: Vec<u32>,
}

impl LinkForest {
    /// Builds the lists from all links.
    pub fn rebuild(&mut self, links: &[u32]) {
        for list in [&mut self.first, &mut self.next, &mut self.previous] {
            list.clear();
            list.resize(links.len(), NONE);
        }
        for (object, &target) in (0u32..).zip(links) {
            self.join(object, target);
        }
    }

    /// Links an object that has no link.
    pub fn join(&mut self, object: u32, target: u32) {
        let after = std::mem::replace(&mut self.first[target as usize], object);
        self.next[object as usize] = after;
        self.previous[object as usize] = NONE;
        if after != NONE {
            self.previous[after as usize] = object;
        }
    }

    /// Removes the link of an object to `target`.
    pub fn cut(&mut self, object: u32, target: u32) {
        let (before, after) = (self.previous[object as usize], self.next[object as usize]);
        match before {
            NONE => self.first[target as usize] = after,
            _ => self.next[before as usize] = after,
        }
        if after != NONE {
            self.previous[after as usize] = before;
        }
    }

    /// All objects whose links lead to `root`, which has no link now; `root` itself first.
    pub fn reaching(&mut self, root: u32) -> &[u32] {
        self.reaching.clear();
        self.reaching.push(root);
        let mut at = 0;
        while let Some(&object) = self.reaching.get(at) {
            let mut child = self.first[object as usize];
            while child != NONE {
                self.reaching.push(child);
                child = self.next[child as usize];
            }
            at += 1;
        }
        &self.reaching
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prior::links::LinkedColumn;
    use crate::rng::{Purpose, Streams};
    use rand::RngExt;

    #[test]
    fn finds_all_who_reach_while_links_change() {
        let mut rng = Streams::new(1, 0).rng(Purpose::Verify, 0, 0);
        let n = 9;
        let mut links: Vec<u32> = (0..n).map(|_| rng.random_range(0..n)).collect();
        let mut forest = LinkForest::default();
        forest.rebuild(&links);
        for _ in 0..5000 {
            let object = rng.random_range(0..n);
            forest.cut(object, links[object as usize]);
            // The object whose link is cut serves as owner: its own link does not matter.
            let bits = LinkedColumn { owner: object, links: links.clone() }.bits();
            let mut found = forest.reaching(object).to_vec();
            found.sort_unstable();
            let expected: Vec<u32> = (0..n).filter(|&o| bits[o as usize] == 1).collect();
            assert_eq!(found, expected);
            links[object as usize] = rng.random_range(0..n);
            forest.join(object, links[object as usize]);
        }
    }
}
