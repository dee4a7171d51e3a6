//! Opens exported indexes with the real faiss, where a Python with faiss-cpu is at hand.

use std::path::PathBuf;
use std::process::Command;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sibp::codes::Codes;
use sibp::index::{HammingIndex, Search};

const SCRIPT: &str = r#"
import sys, faiss, numpy
index = faiss.read_index_binary(sys.argv[1])
queries = numpy.fromfile(sys.argv[2], dtype="u1").reshape(-1, index.d // 8)
distances, ids = index.search(queries, int(sys.argv[3]))
print(type(index).__name__, index.ntotal)
for row in zip(distances.tolist(), ids.tolist()):
    print(*row[0], *row[1])
"#;

/// `SIBP_FAISS_PYTHON`, the environment of the search bench, or `python3`: the first that has faiss.
fn python_with_faiss() -> Option<PathBuf> {
    let bench = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../benches/search/.venv/bin/python");
    let named = std::env::var_os("SIBP_FAISS_PYTHON").map(PathBuf::from);
    let has_faiss = |python: &PathBuf| {
        Command::new(python).args(["-c", "import faiss, numpy"]).output().is_ok_and(|out| out.status.success())
    };
    [named, Some(bench), Some("python3".into())].into_iter().flatten().find(has_faiss)
}

fn random_codes(rng: &mut ChaCha8Rng, n: usize, n_bits: usize) -> Codes {
    let mut codes = Codes::zeros(n, n_bits);
    for row in 0..n {
        for bit in 0..n_bits {
            codes.set(row, bit, rng.random());
        }
    }
    codes
}

#[test]
fn faiss_opens_exported_indexes_and_finds_the_same_distances() {
    let Some(python) = python_with_faiss() else {
        eprintln!("skipped: no Python with faiss-cpu; run benches/search/bench.py once or set SIBP_FAISS_PYTHON");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for (n_bits, given) in [(64, false), (64, true), (13, true), (80, false), (300, true)] {
        let codes = random_codes(&mut rng, 500, n_bits);
        let queries = random_codes(&mut rng, 7, n_bits);
        let ids: Vec<u64> = (0..500).map(|row| 10_000 - 3 * row).collect();
        let mut index = HammingIndex::new(n_bits).unwrap();
        index.add(&codes, given.then_some(&ids[..])).unwrap();
        let (file, asked) = (folder.path().join("index.faiss"), folder.path().join("queries"));
        index.export_faiss(&file).unwrap();
        std::fs::write(&asked, queries.bytes()).unwrap();
        let out = Command::new(&python).args(["-c", SCRIPT]).args([&file, &asked]).arg("10").output().unwrap();
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        let text = String::from_utf8(out.stdout).unwrap();
        let mut lines = text.lines();
        let kind = if given { "IndexBinaryIDMap 500" } else { "IndexBinaryFlat 500" };
        assert_eq!(lines.next(), Some(kind));
        let found = index.search(&queries, &Search::nearest(10)).unwrap();
        for (q, line) in lines.enumerate() {
            let numbers: Vec<u64> = line.split(' ').map(|word| word.parse().unwrap()).collect();
            let (distances, theirs) = numbers.split_at(10);
            assert!(found.distances(q).iter().copied().eq(distances.iter().map(|&d| d as f32)), "query {q}");
            // faiss breaks ties as it likes: each id must have the distance that it is given.
            for (&distance, id) in distances.iter().zip(theirs) {
                let row = if given { ids.iter().position(|i| i == id).unwrap() } else { *id as usize };
                assert_eq!(u64::from(codes.distance(row, queries.row(q))), distance);
            }
        }
    }
}
