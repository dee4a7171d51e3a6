//! Orders codes for a picture: rows by class, bits by the class that owns them most.

use sibp::codes::Codes;
use sibp::data::Labels;

/// Groups the rows by class.
pub fn groups(n_objects: usize, labels: Option<&Labels>) -> Vec<(String, Vec<usize>)> {
    let Some(labels) = labels else { return vec![(String::new(), (0..n_objects).collect())] };
    let mut groups: Vec<(String, Vec<usize>)> = labels.names().iter().map(|n| (n.clone(), Vec::new())).collect();
    for (row, &class) in labels.class_of().iter().enumerate() {
        groups[class as usize].1.push(row);
    }
    groups.retain(|(_, rows)| !rows.is_empty());
    groups
}

/// Bits by the group that owns them most above the others, so that the picture shows what bits stand for.
pub fn bit_order(codes: &Codes, groups: &[(String, Vec<usize>)]) -> Vec<usize> {
    let share =
        |rows: &[usize], bit| rows.iter().filter(|&&row| codes.get(row, bit)).count() as f64 / rows.len() as f64;
    let mut keyed: Vec<(usize, f64, usize)> = (0..codes.n_bits())
        .map(|bit| {
            let shares: Vec<f64> = groups.iter().map(|(_, rows)| share(rows, bit)).collect();
            let best = (0..shares.len()).fold(0, |best, at| if shares[at] > shares[best] { at } else { best });
            let mean = shares.iter().sum::<f64>() / shares.len() as f64;
            (if groups.len() > 1 { best } else { 0 }, if groups.len() > 1 { mean } else { -mean }, bit)
        })
        .collect();
    keyed.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
    keyed.into_iter().map(|(_, _, bit)| bit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_rows_by_class_and_bits_by_their_class() {
        let mut codes = Codes::zeros(4, 3);
        // Bit 2 belongs to class a, bits 0 and 1 to class b.
        for (row, bit) in [(0, 2), (2, 2), (1, 0), (3, 0), (3, 1)] {
            codes.set(row, bit, true);
        }
        let labels = Labels::from_text(&["a", "b", "a", "b"]);
        let groups = groups(4, Some(&labels));
        assert_eq!(groups[0], ("a".to_owned(), vec![0, 2]));
        assert_eq!(bit_order(&codes, &groups), [2, 1, 0]);
    }
}
