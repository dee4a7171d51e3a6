//! Says how things stand (`GET /api/state`), and what to do next.

use crate::app::{App, locked};
use crate::learner::{FIRST, due_at};
use crate::model::Shown;
use serde_json::{Value, json};
use sibp::words::count;

/// How things stand.
pub fn state(app: &App) -> Value {
    let model = app.model();
    let n_answers = n_answers(app);
    let learning = locked(&app.learning);
    let stage =
        learning.stage.as_ref().map(|stage| json!({ "stage": stage, "done": learning.done, "of": learning.of }));
    let (n_learned, failed) = (learning.n_learned, learning.failed.clone());
    drop(learning);
    let table = &app.source.table;
    json!({
        "version": app.version(),
        "model": model.as_ref().map(|model| about(model)),
        "objects": app.source.n_objects(),
        "names": { "inputs": table.input_names },
        "labels": table.labels.as_ref().map(|labels| json!({ "names": labels.names() })),
        "show": app.source.show(),
        "judging": app.desk.is_some(),
        "answers": n_answers,
        "learning": stage,
        "warnings": warnings(app, model.as_deref(), failed),
        "next": next(app, model.as_deref(), n_answers, n_learned),
    })
}

/// Answers that count.
pub fn n_answers(app: &App) -> usize {
    app.desk.as_ref().map_or(0, |desk| locked(desk).ledger().n_answers())
}

fn about(model: &Shown) -> Value {
    let (info, parts) = (&model.fitted.info, model.parts);
    json!({
        "kind": info.model.about().name,
        "bits": parts.total(),
        "given": parts.given,
        "learned": parts.learned,
        "unsupervised": parts.unsupervised,
        "chains": info.settings.chains,
        "sweeps": info.settings.sweeps,
        "objects": info.n_objects,
        "inputs": info.n_inputs(),
    })
}

fn warnings(app: &App, model: Option<&Shown>, failed: Option<String>) -> Vec<String> {
    let mut found = locked(&app.notes).clone();
    if let Some(path) = app.file.as_ref().filter(|path| !path.exists()) {
        found.push(format!("{} is gone; the page goes on with what it loaded", path.display()));
    }
    found.extend(failed.map(|error| format!("codes could not be learned: {error}; answers are kept")));
    found.extend(model.into_iter().flat_map(|model| model.warnings.iter().cloned()));
    found
}

/// What to do next.
fn next(app: &App, model: Option<&Shown>, n_answers: usize, n_learned: usize) -> Vec<String> {
    let first = app.settings.first_fit.unwrap_or(FIRST);
    let due = due_at(n_learned, first);
    let left = count(due.saturating_sub(n_answers), "more answer");
    let learns = app.source.base.triplets().is_some();
    let exhausted = locked(&app.pool).is_exhausted();
    match (app.desk.is_some(), model) {
        (false, None) => vec!["There is no model and no journal: start the page with --judgements FILE.".into()],
        (false, Some(_)) => vec![
            "Look at the bits and the map, and search for what is near.".into(),
            "To ask people, start the page with --judgements FILE.".into(),
        ],
        (true, _) if exhausted => {
            vec!["Every question is answered. `sibp triplets from-judgements` writes them as triplets.".into()]
        }
        (true, None) => vec![format!("Answer questions: {left}, and the first codes are learned.")],
        (true, Some(_)) if !learns => vec![
            "Answers are kept. The page does not know what the model was learned from, so it learns nothing from them: start \
             it with --triplets FILE, or make triplets of them by `sibp triplets from-judgements`."
                .into(),
        ],
        (true, Some(_)) if n_answers < due => vec![format!("Go on judging: {left}, and codes are learned again.")],
        (true, Some(_)) => vec!["Codes are learned from your answers; you can go on judging.".into()],
    }
}
