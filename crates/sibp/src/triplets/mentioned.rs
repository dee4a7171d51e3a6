//! Lists the objects that triplets are about.

use super::Triplet;

/// The objects that occur in a triplet, ascending, and the triplets renumbered to them.
pub fn mentioned(triplets: &[Triplet]) -> (Vec<usize>, Vec<Triplet>) {
    let mut rows: Vec<u32> = triplets.iter().flat_map(|t| [t.anchor, t.near, t.far]).collect();
    rows.sort_unstable();
    rows.dedup();
    let place = |row: u32| rows.partition_point(|&r| r < row) as u32;
    let asked = triplets.iter().map(|t| Triplet { anchor: place(t.anchor), near: place(t.near), far: place(t.far) });
    let asked = asked.collect();
    (rows.iter().map(|&row| row as usize).collect(), asked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_in_no_triplet_leave_no_gap() {
        let (rows, asked) =
            mentioned(&[Triplet { anchor: 9, near: 2, far: 5 }, Triplet { anchor: 2, near: 9, far: 7 }]);
        assert_eq!(rows, [2, 5, 7, 9]);
        assert_eq!(asked, [Triplet { anchor: 3, near: 0, far: 1 }, Triplet { anchor: 0, near: 3, far: 2 }]);
        assert_eq!(mentioned(&[]), (Vec::new(), Vec::new()));
    }
}
