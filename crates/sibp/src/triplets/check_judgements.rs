//! Checks judgements: questions asked again, judges who answer no better than chance, objects asked about too little.

use serde::Serialize;

use super::check::{Question, answer};
use super::{Judgements, Judges, ReadingReport, TripletError, TripletReport, TripletSet, check};
use crate::data::Ids;
use crate::numerics::coins::at_least;

/// Answers of a judge that can be compared, below which nobody is flagged.
const LEAST_COMPARED: usize = 10;
/// Level of the test against chance.
const LEVEL: f64 = 0.05;
/// Answers about an object, below which it is asked about too little.
const LEAST_ANSWERS: usize = 5;
/// An object asked about this many times less than the median one is asked about too little.
const BELOW_MEDIAN: usize = 5;
/// Objects that are listed.
const LISTED: usize = 10;

/// The result of [`check_judgements`].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JudgementsReport {
    /// What [`check`] says about the triplets.
    #[serde(flatten)]
    pub triplets: TripletReport,
    /// What stood in the file.
    pub reading: ReadingReport,
    /// Questions that were asked again.
    pub repeats: Repeats,
    /// Objects that were asked about too little.
    pub rarely_asked: RarelyAsked,
    /// Every judge, in the order of the file; none where judges are unknown.
    pub judges: Vec<JudgeReport>,
}

/// Questions (an anchor and two others) with several answers. Ties are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Repeats {
    /// Questions with several answers.
    pub n_questions: usize,
    /// Those of them that are answered both ways.
    pub n_contradicted: usize,
    /// Answers to repeated questions.
    pub n_answers: usize,
    /// Those of them that say what most answers to the same question say; half of the answers where both are as many.
    pub n_with_majority: usize,
}

/// Objects about which few answers are given: fewer than 5, or less than a fifth of the median of all objects that are
/// asked about. Objects in no triplet are counted elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct RarelyAsked {
    /// How many there are.
    pub n_objects: usize,
    /// Median number of answers about an object.
    pub median: usize,
    /// Those with the fewest answers, at most 10.
    pub first: Vec<RareObject>,
}

/// An object and the number of answers about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RareObject {
    /// Its id, or its row number where there are no ids.
    pub object: String,
    /// Answers in which it takes part.
    pub n_answers: usize,
}

/// What one judge did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JudgeReport {
    /// The judge's name.
    pub judge: String,
    /// Answers; a tie is one.
    pub n_answers: usize,
    /// Ties among them.
    pub n_ties: usize,
    /// Answers to questions that others answered too, against what most of the others say.
    pub with_majority: Agreement,
    /// Answers to questions that this judge had answered before, against the judge's first answer.
    pub with_self: Agreement,
    /// Whether either agreement is of at least 10 answers and yet not above chance.
    pub no_better_than_chance: bool,
}

/// How many answers agree with something, of those that can be compared with it.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Agreement {
    /// Answers that can be compared.
    pub n_compared: usize,
    /// Those that agree.
    pub n_agree: usize,
    /// Probability that a coin tossed for each answer agrees as often or more often.
    pub p_value: f64,
}

impl Agreement {
    fn new((n_agree, n_compared): (usize, usize)) -> Self {
        Self { n_compared, n_agree, p_value: at_least(n_compared, n_agree) }
    }

    /// The share that agrees, if anything can be compared.
    pub fn share(&self) -> Option<f64> {
        (self.n_compared > 0).then(|| self.n_agree as f64 / self.n_compared as f64)
    }

    /// Whether there are enough answers to tell and they are still not above chance, at level 0.05 (one-sided binomial
    /// test).
    pub fn is_chance(&self) -> bool {
        self.n_compared >= LEAST_COMPARED && self.p_value > LEVEL
    }
}

impl Repeats {
    /// Share of the answers to repeated questions that go with the majority, if there are any.
    pub fn majority_share(&self) -> Option<f64> {
        (self.n_answers > 0).then(|| self.n_with_majority as f64 / self.n_answers as f64)
    }
}

/// Checks judgements about `n_objects` objects, which are named by `ids` where they have some.
///
/// A judge is flagged as answering no better than chance if, of at least 10 answers that can be compared (with what
/// most of the others say on the same question, or with the judge's own first answer to it), so few agree that tossing
/// a coin gives as many with a probability above 0.05. Ties are compared with nothing. A file of triplets does not say
/// on which side objects were shown, so judges who always choose the same side are not seen as such.
pub fn check_judgements(
    n_objects: usize,
    judgements: &Judgements,
    ids: Option<&Ids>,
) -> Result<JudgementsReport, TripletError> {
    let set = TripletSet::new(n_objects, judgements.triplets.clone())?;
    let answers = decided(judgements);
    let questions = || answers.chunk_by(|a, b| a.question == b.question);
    Ok(JudgementsReport {
        triplets: check(&set),
        reading: judgements.report,
        repeats: repeats(questions()),
        rarely_asked: rarely_asked(&set, ids),
        judges: judgements.judges.as_ref().map(|judges| per_judge(judgements, judges, questions())).unwrap_or_default(),
    })
}

/// An answer that is no tie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Answer {
    question: Question,
    judge: u32,
    position: u32,
    turned: bool,
}

/// All answers that are no ties, by question, then by judge, then in their order.
fn decided(judgements: &Judgements) -> Vec<Answer> {
    let judge = |position: usize| judgements.judges.as_ref().map_or(0, |judges| judges.of()[position]);
    let mut tied = judgements.tied.iter().peekable();
    let mut answers = Vec::with_capacity(judgements.triplets.len() - judgements.tied.len());
    for (position, triplet) in judgements.triplets.iter().enumerate() {
        if tied.next_if(|&&at| at as usize == position).is_none() {
            let (question, turned) = answer(triplet);
            answers.push(Answer { question, judge: judge(position), position: position as u32, turned });
        }
    }
    answers.sort_unstable();
    answers
}

/// Answers (one way, the other way).
fn sides(answers: &[Answer]) -> [usize; 2] {
    let n_turned = answers.iter().filter(|answer| answer.turned).count();
    [answers.len() - n_turned, n_turned]
}

fn repeats<'a>(questions: impl Iterator<Item = &'a [Answer]>) -> Repeats {
    let mut found = Repeats::default();
    for [one_way, other_way] in questions.filter(|answers| answers.len() > 1).map(sides) {
        found.n_questions += 1;
        found.n_answers += one_way + other_way;
        found.n_contradicted += usize::from(one_way > 0 && other_way > 0);
        found.n_with_majority += one_way.max(other_way);
    }
    found
}

fn per_judge<'a>(
    judgements: &Judgements,
    judges: &Judges,
    questions: impl Iterator<Item = &'a [Answer]>,
) -> Vec<JudgeReport> {
    // Counts of (agreeing, compared) answers.
    let mut with_majority = vec![(0, 0); judges.len()];
    let mut with_self = with_majority.clone();
    for answers in questions {
        let all = sides(answers);
        for own in answers.chunk_by(|a, b| a.judge == b.judge) {
            let judge = own[0].judge as usize;
            let ours = sides(own);
            let others = [all[0] - ours[0], all[1] - ours[1]];
            if others[0] != others[1] {
                with_majority[judge].0 += ours[usize::from(others[1] > others[0])];
                with_majority[judge].1 += own.len();
            }
            with_self[judge].0 += ours[usize::from(own[0].turned)] - 1;
            with_self[judge].1 += own.len() - 1;
        }
    }
    let mut n_triplets = vec![0; judges.len()];
    judges.of().iter().for_each(|&judge| n_triplets[judge as usize] += 1);
    let mut n_halves = vec![0; judges.len()];
    judgements.tied.iter().for_each(|&at| n_halves[judges.of()[at as usize] as usize] += 1);
    let report = |(judge, name): (usize, &String)| {
        let (with_majority, with_self) = (Agreement::new(with_majority[judge]), Agreement::new(with_self[judge]));
        let n_ties = n_halves[judge] / 2;
        JudgeReport {
            judge: name.clone(),
            n_answers: n_triplets[judge] - n_ties,
            n_ties,
            with_majority,
            with_self,
            no_better_than_chance: with_majority.is_chance() || with_self.is_chance(),
        }
    };
    judges.names().iter().enumerate().map(report).collect()
}

fn rarely_asked(set: &TripletSet, ids: Option<&Ids>) -> RarelyAsked {
    let n_answers = |object: usize| set.anchored(object).len() + set.others(object).len();
    let mut asked: Vec<(usize, usize)> =
        (0..set.n_objects()).map(|object| (n_answers(object), object)).filter(|&(n, _)| n > 0).collect();
    asked.sort_unstable();
    let median = asked.get(asked.len() / 2).map_or(0, |&(n, _)| n);
    let is_rare = |&&(n, _): &&(usize, usize)| n < LEAST_ANSWERS || n * BELOW_MEDIAN < median;
    let name = |object: usize| ids.map_or_else(|| object.to_string(), |ids| ids.texts()[object].clone());
    let first = asked.iter().take_while(is_rare).take(LISTED);
    RarelyAsked {
        n_objects: asked.iter().take_while(is_rare).count(),
        median,
        first: first.map(|&(n_answers, object)| RareObject { object: name(object), n_answers }).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::triplets::Triplet;

    fn asked(near: u32, far: u32) -> Triplet {
        Triplet { anchor: 0, near, far }
    }

    fn report(n_objects: usize, answers: &[(Triplet, &str)]) -> JudgementsReport {
        let judges = Judges::from_names(answers.iter().map(|(_, judge)| judge)).unwrap();
        let triplets = answers.iter().map(|(triplet, _)| *triplet).collect();
        check_judgements(n_objects, &Judgements::new(triplets, Some(judges)).unwrap(), None).unwrap()
    }

    #[test]
    fn agreement_is_with_the_others_and_with_the_first_answer() {
        let answers = [
            (asked(1, 2), "a"),
            (asked(1, 2), "b"),
            (asked(2, 1), "c"),
            (asked(2, 1), "a"),
            (asked(1, 2), "a"),
            (asked(1, 3), "c"),
        ];
        let found = report(4, &answers);
        let repeats = Repeats { n_questions: 1, n_contradicted: 1, n_answers: 5, n_with_majority: 3 };
        assert_eq!((found.repeats, repeats.majority_share()), (repeats, Some(0.6)));
        let counts = |agreement: Agreement| (agreement.n_agree, agreement.n_compared);
        let of = |judge: usize| (counts(found.judges[judge].with_majority), counts(found.judges[judge].with_self));
        // The others of a say one each way, those of b two each way, those of c three against one.
        assert_eq!((of(0), of(1), of(2)), (((0, 0), (1, 2)), ((0, 0), (0, 0)), ((0, 1), (0, 0))));
        assert_eq!(found.judges[2].n_answers, 2);
        assert!(found.judges.iter().all(|judge| !judge.no_better_than_chance), "too few answers to tell");
    }

    /// One judge is right half of the time, one contradicts half of their own answers; all others agree.
    #[test]
    fn coin_tossers_are_flagged_and_careful_judges_are_not() {
        let mut answers = Vec::new();
        for question in 0..20u32 {
            let (right, wrong) = (asked(1, 2 + question), asked(2 + question, 1));
            answers.extend([(right, "x"), (right, "y"), (right, "z")]);
            answers.push((if question % 2 == 0 { right } else { wrong }, "bored"));
            answers.push((if question % 10 == 0 { wrong } else { right }, "careful"));
            // Asked twice.
            let forgets = if (question / 2) % 2 == 0 { right } else { wrong };
            answers.extend([(right, "steady"), (right, "steady"), (right, "forgetful"), (forgets, "forgetful")]);
        }
        let found = report(22, &answers);
        let flagged: Vec<&str> =
            found.judges.iter().filter(|j| j.no_better_than_chance).map(|j| j.judge.as_str()).collect();
        assert_eq!(flagged, ["bored", "forgetful"]);
        let forgetful = found.judges.iter().find(|judge| judge.judge == "forgetful").unwrap();
        assert!(!forgetful.with_majority.is_chance() && forgetful.with_self.is_chance(), "{forgetful:?}");
        assert_eq!((forgetful.with_self.n_agree, forgetful.with_self.n_compared), (10, 20));
    }

    #[test]
    fn the_rule_is_at_ten_answers_and_five_percent() {
        let is_chance = |n_agree, n_compared| Agreement::new((n_agree, n_compared)).is_chance();
        // 9 of 9 is far above chance; 0 of 9 is too few to tell; 8 of 10 has probability 0.0547, 9 of 10 0.0107.
        assert!(!is_chance(9, 9) && !is_chance(0, 9));
        assert!(is_chance(8, 10) && !is_chance(9, 10) && is_chance(0, 10));
    }

    #[test]
    fn ties_contradict_nobody() {
        let (one, other) = (asked(1, 2), asked(2, 1));
        let judges = Judges::from_names(["a", "a", "a", "b"]).unwrap();
        let mut judgements = Judgements::new(vec![one, one, other, one], Some(judges)).unwrap();
        judgements.tied = vec![1, 2];
        let found = check_judgements(3, &judgements, None).unwrap();
        assert_eq!(found.repeats, Repeats { n_questions: 1, n_contradicted: 0, n_answers: 2, n_with_majority: 2 });
        let a = &found.judges[0];
        assert_eq!((a.n_answers, a.n_ties, a.with_self.n_compared), (2, 1, 0));
        assert_eq!((a.with_majority.n_agree, a.with_majority.n_compared), (1, 1));
    }

    #[test]
    fn rare_objects_are_named_fewest_first() {
        let ids = Ids::new(["hub", "often", "b", "c", "rare"].map(String::from).to_vec()).unwrap();
        let mut triplets = vec![asked(1, 2); 60];
        triplets.extend([asked(3, 1); 8]);
        triplets.push(asked(1, 4));
        let found = check_judgements(5, &Judgements::from(triplets), Some(&ids)).unwrap().rarely_asked;
        let named: Vec<(&str, usize)> = found.first.iter().map(|rare| (rare.object.as_str(), rare.n_answers)).collect();
        assert_eq!((found.n_objects, found.median, named), (2, 60, vec![("rare", 1), ("c", 8)]));
        let many: Vec<Triplet> = (0..20).map(|at| asked(1 + 2 * at, 2 + 2 * at)).collect();
        let found = check_judgements(41, &Judgements::from(many), None).unwrap().rarely_asked;
        assert_eq!((found.n_objects, found.first.len(), found.first[0].object.as_str()), (40, 10, "1"));
    }
}
