//! Draws questions that can be asked and were not answered yet: of all that three objects make, or of a pool.

use super::{AskError, AskSettings, question};
use crate::triplets::{Triplet, TripletSet};
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeSet;

type Asked = BTreeSet<(u32, u32, u32)>;

/// The questions that are open.
pub(super) struct Open {
    n_objects: usize,
    answered: Asked,
    /// What is left of the pool, if there is one.
    pool: Option<TripletSet>,
}

impl Open {
    pub fn new(n_objects: usize, settings: &AskSettings<'_>) -> Result<Self, AskError> {
        if n_objects < 3 {
            return Err(AskError::TooFewObjects { n_objects });
        }
        let checked = |what: &'static str, triplets: &[Triplet]| {
            TripletSet::new(n_objects, triplets.to_vec()).map_err(|problem| AskError::Triplets { what, problem })
        };
        checked("answered triplets", settings.answered)?;
        let answered: Asked = settings.answered.iter().copied().map(question).collect();
        let Some(pool) = settings.pool else { return Ok(Self { n_objects, answered, pool: None }) };
        checked("pool", pool)?;
        let mut seen = answered.clone();
        let left: Vec<Triplet> = pool.iter().filter(|&&triplet| seen.insert(question(triplet))).copied().collect();
        if left.is_empty() {
            return Err(AskError::NothingLeft);
        }
        Ok(Self { n_objects, answered, pool: Some(checked("pool", &left)?) })
    }

    /// Random questions, none of those in `asked`, at most `n`.
    pub fn random(&self, n: usize, asked: &Asked, rng: &mut ChaCha8Rng) -> Vec<Triplet> {
        let mut found = Vec::new();
        let mut seen = asked.clone();
        if let Some(pool) = &self.pool {
            let mut order: Vec<Triplet> = pool.triplets().to_vec();
            order.shuffle(rng);
            found.extend(order.into_iter().filter(|&triplet| seen.insert(question(triplet))).take(n));
            return found;
        }
        // Every round asks about other anchors, and ends for good when none of them has a question left.
        while found.len() < n {
            let before = found.len();
            for anchor in self.anchors(rng) {
                let drawn = self.of_anchor(anchor, 1 + seen.len().min(20), rng);
                found.extend(drawn.into_iter().find(|&triplet| seen.insert(question(triplet))));
                if found.len() == n {
                    break;
                }
            }
            if found.len() == before {
                break;
            }
        }
        found
    }

    /// Candidates of `n` questions, `each` of them about one anchor: all anchors in turn, in a random order.
    pub fn by_anchor(&self, n: usize, each: usize, rng: &mut ChaCha8Rng) -> Vec<Vec<Triplet>> {
        let mut groups = Vec::with_capacity(n);
        while groups.len() < n {
            let before = groups.len();
            for anchor in self.anchors(rng) {
                let group = self.of_anchor(anchor, each, rng);
                if !group.is_empty() {
                    groups.push(group);
                }
                if groups.len() == n {
                    break;
                }
            }
            if groups.len() == before {
                break;
            }
        }
        groups
    }

    /// All objects in a random order.
    pub fn anchors(&self, rng: &mut ChaCha8Rng) -> Vec<u32> {
        let mut anchors: Vec<u32> = (0..self.n_objects as u32).collect();
        anchors.shuffle(rng);
        anchors
    }

    /// Different open questions about an anchor, at most `most`, drawn at random.
    pub fn of_anchor(&self, anchor: u32, most: usize, rng: &mut ChaCha8Rng) -> Vec<Triplet> {
        let others = (self.n_objects - 1) as u128;
        if let Some(pool) = &self.pool {
            let own = pool.triplets()[pool.anchored(anchor as usize)].to_vec();
            return some_of(own, most, rng);
        }
        if others * (others - 1) / 2 <= 4 * most as u128 {
            return some_of(self.all_of_anchor(anchor), most, rng);
        }
        let mut seen = BTreeSet::new();
        let mut found = Vec::with_capacity(most);
        // So many that only an anchor about which nearly everything was asked gets fewer than it could.
        for _ in 0..20 * most {
            let triplet = self.draw(anchor, rng);
            if !self.answered.contains(&question(triplet)) && seen.insert(question(triplet)) {
                found.push(triplet);
                if found.len() == most {
                    break;
                }
            }
        }
        found
    }

    fn all_of_anchor(&self, anchor: u32) -> Vec<Triplet> {
        let objects = || (0..self.n_objects as u32).filter(move |&object| object != anchor);
        let pairs = objects().flat_map(|near| objects().filter(move |&far| far > near).map(move |far| (near, far)));
        let triplets = pairs.map(|(near, far)| Triplet { anchor, near, far });
        triplets.filter(|&triplet| !self.answered.contains(&question(triplet))).collect()
    }

    /// Two different objects beside the anchor.
    fn draw(&self, anchor: u32, rng: &mut ChaCha8Rng) -> Triplet {
        let near = skipping(rng.random_range(0..self.n_objects as u32 - 1), [anchor, anchor]);
        let far = skipping(rng.random_range(0..self.n_objects as u32 - 2), [anchor.min(near), anchor.max(near)]);
        Triplet { anchor, near, far }
    }
}

/// The object with this number among those that are not excluded; the two stand in ascending order, or are one.
fn skipping(number: u32, [low, high]: [u32; 2]) -> u32 {
    let number = if number >= low { number + 1 } else { number };
    if high > low && number >= high { number + 1 } else { number }
}

fn some_of(mut triplets: Vec<Triplet>, most: usize, rng: &mut ChaCha8Rng) -> Vec<Triplet> {
    triplets.shuffle(rng);
    triplets.truncate(most);
    triplets
}
