//! Finds the sets of objects that near relations connect.

use super::TripletSet;

impl TripletSet {
    /// Connected components of the near relations, each list ascending.
    pub fn components(&self) -> Vec<Vec<u32>> {
        let mut parent: Vec<u32> = (0..self.n_objects() as u32).collect();
        fn root(parent: &mut [u32], mut object: u32) -> u32 {
            while parent[object as usize] != object {
                parent[object as usize] = parent[parent[object as usize] as usize];
                object = parent[object as usize];
            }
            object
        }
        for t in self.triplets() {
            let (a, b) = (root(&mut parent, t.anchor), root(&mut parent, t.near));
            parent[a.max(b) as usize] = a.min(b);
        }
        let mut lists = vec![Vec::new(); self.n_objects()];
        for object in 0..self.n_objects() as u32 {
            lists[root(&mut parent, object) as usize].push(object);
        }
        lists.retain(|list| !list.is_empty());
        lists
    }
}
