//! Compares queries with blocks in plain loops: the twin that the other kernels are held equal to.

use std::ops::Range;

use super::{Hit, QueryTile, TILE};
use crate::index::planes::{BLOCK, Planes};

pub fn narrow(planes: &Planes, blocks: Range<usize>, tile: &QueryTile, bounds: &mut [u8; TILE], hit: &mut Hit) {
    for block in blocks {
        for query in 0..tile.n_queries {
            let mut distances = [0u8; BLOCK];
            let mut plane = 0;
            for group in planes.groups() {
                for line in &group.lines[block * group.n_planes..(block + 1) * group.n_planes] {
                    let byte = tile.byte(query, plane);
                    for (distance, code) in distances.iter_mut().zip(&line.0) {
                        *distance = distance.saturating_add((code ^ byte).count_ones() as u8);
                    }
                    plane += 1;
                }
            }
            let lanes = below(&distances, bounds[query]);
            if lanes != 0 {
                bounds[query] = hit(query, block, lanes, &distances);
            }
        }
    }
}

fn below(distances: &[u8; BLOCK], bound: u8) -> u64 {
    distances.iter().enumerate().fold(0, |lanes, (lane, &d)| lanes | u64::from(d < bound) << lane)
}

pub fn wide(planes: &Planes, block: usize, tile: &QueryTile, query: usize) -> [u16; BLOCK] {
    let mut distances = [0u16; BLOCK];
    let mut plane = 0;
    for group in planes.groups() {
        for line in &group.lines[block * group.n_planes..(block + 1) * group.n_planes] {
            let byte = tile.byte(query, plane);
            for (distance, code) in distances.iter_mut().zip(&line.0) {
                *distance += (code ^ byte).count_ones() as u16;
            }
            plane += 1;
        }
    }
    distances
}
