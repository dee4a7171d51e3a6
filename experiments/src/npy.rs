//! tmp reader
#![allow(missing_docs)]
pub fn read(path: &str) -> (Vec<usize>, Vec<f64>) {
    let b = std::fs::read(path).expect(path);
    let hl = u16::from_le_bytes([b[8], b[9]]) as usize;
    let h = String::from_utf8_lossy(&b[10..10 + hl]).to_string();
    let d = &b[10 + hl..];
    let s = &h[h.find('(').unwrap() + 1..h.find(')').unwrap()];
    let shape: Vec<usize> = s.split(',').filter_map(|x| x.trim().parse().ok()).collect();
    let v = if h.contains("<f4") {
        d.chunks_exact(4).map(|c| f32::from_le_bytes(c.try_into().unwrap()) as f64).collect()
    } else if h.contains("|u1") {
        d.iter().map(|&x| x as f64).collect()
    } else if h.contains("<f8") {
        d.chunks_exact(8).map(|c| f64::from_le_bytes(c.try_into().unwrap())).collect()
    } else {
        panic!("{h}")
    };
    (shape, v)
}
