//! Tests what the views are told, against the library's own answers.

use crate::browser::{N, Page, source, start, table};
use serde_json::{Value, json};
use sibp::pipeline::Reading;
use sibp_page::{Settings, Source, Start};

#[test]
fn every_view_has_an_address_of_its_own() {
    let page = Page::with_model();
    for path in ["/", "/overview", "/bits", "/bits/3", "/map", "/search", "/search/17", "/judge"] {
        let answer = page.get(path);
        assert_eq!((answer.status, answer.header("content-type")), (200, Some("text/html; charset=utf-8")), "{path}");
    }
    assert_eq!(page.get("/elsewhere").status, 404);
    for (path, kind) in
        [("/assets/app.js", "text/javascript; charset=utf-8"), ("/assets/app.css", "text/css; charset=utf-8")]
    {
        assert_eq!(page.get(path).header("content-type"), Some(kind));
    }
}

#[test]
fn bits_and_their_facts_are_those_of_the_library() {
    let page = Page::with_model();
    let coder = start().fitted.coder(Reading::default()).unwrap();
    let codes = coder.encode(&table().inputs).unwrap();
    let found = page.json("/api/bits");
    let bits = found["bits"].as_array().unwrap();
    assert_eq!(bits.len(), codes.n_bits());
    let packed = decoded(found["codes"].as_str().unwrap());
    let n_bytes = found["bytes"].as_u64().unwrap() as usize;
    let order: Vec<usize> = serde_json::from_value(found["order"].clone()).unwrap();
    assert_eq!(order.len(), N);
    assert_eq!(order[..3], [0, 2, 4], "class by class");
    for (row, &object) in order.iter().enumerate() {
        for bit in 0..codes.n_bits() {
            assert_eq!(packed[row * n_bytes + bit / 8] >> (bit % 8) & 1 == 1, codes.get(object, bit));
        }
    }
    let one = page.json("/api/bits/0");
    let owners = (0..N).filter(|&object| codes.get(object, 0)).count();
    assert_eq!(one["share"].as_f64().unwrap(), owners as f64 / N as f64);
    assert_eq!(bits[0]["share"], one["share"]);
    for (list, has) in [("surest", true), ("just_not", false)] {
        let objects: Vec<usize> = serde_json::from_value(one[list].clone()).unwrap();
        assert!(objects.iter().all(|&object| codes.get(object, 0) == has), "{list}");
    }
    assert!(one["without"]["agreement_with"].as_f64().unwrap() > 0.5);
    assert_eq!(page.get(&format!("/api/bits/{}", codes.n_bits())).status, 404);
    let who = page.get("/api/map/bit/0");
    assert_eq!(who.body, codes.column(0));
}

#[test]
fn the_map_is_the_plane_of_the_codes() {
    let page = Page::with_model();
    let coder = start().fitted.coder(Reading::default()).unwrap();
    let plane = sibp::pipeline::plane(&coder.encode(&table().inputs).unwrap()).unwrap();
    let answer = page.get("/api/map");
    assert_eq!(answer.header("x-version"), Some("1"));
    let sent: Vec<f32> = answer.body.chunks_exact(4).map(|four| f32::from_le_bytes(four.try_into().unwrap())).collect();
    assert_eq!(sent, plane.points.as_flattened());
    let explained = answer.header("x-explained").unwrap();
    assert_eq!(explained, format!("{:.6},{:.6}", plane.explained[0], plane.explained[1]));
}

#[test]
fn neighbours_are_exact_and_explained() {
    let page = Page::with_model();
    let coder = start().fitted.coder(Reading::default()).unwrap();
    let codes = coder.encode(&table().inputs).unwrap();
    for metric in ["plain", "weighted", "expected"] {
        let found = page.json(&format!("/api/search?object=7&k=5&metric={metric}"));
        let neighbours = found["neighbours"].as_array().unwrap();
        assert_eq!(neighbours.len(), 5);
        assert!(neighbours.iter().all(|near| near["object"] != 7), "the object itself is left out");
        let distances: Vec<f64> = neighbours.iter().map(|near| near["distance"].as_f64().unwrap()).collect();
        assert!(distances.windows(2).all(|two| two[0] <= two[1]), "{distances:?}");
        if metric == "plain" {
            let near = neighbours[0]["object"].as_u64().unwrap() as usize;
            assert_eq!(distances[0], f64::from(codes.distance(7, codes.row(near))));
            let why = page.json(&format!("/api/explain?a=7&b={near}"));
            assert_eq!(why["distance"].as_f64().unwrap(), distances[0], "the same codes are searched and explained");
            assert_eq!(why["bits"].as_array().unwrap().len(), codes.n_bits());
            let expected = coder.explain(&table().inputs, None, [7, near]).unwrap();
            assert_eq!(why["weighted"].as_f64().unwrap(), expected.weighted);
            assert_eq!(why["bits"][0]["bit"], expected.bits[0].bit);
        }
    }
    let values = table().inputs.row(7).to_vec();
    let found = page.posted("/api/search", &json!({ "values": values, "k": 3, "metric": "plain" }));
    let code: String = (0..codes.n_bits()).map(|bit| if codes.get(7, bit) { '1' } else { '0' }).collect();
    assert_eq!((&found["query"]["code"], &found["neighbours"][0]["distance"]), (&json!(code), &json!(0.0)));
    let refused = page.post("/api/search", &json!({ "values": [1.0], "k": 3, "metric": "plain" }));
    assert_eq!((refused.status, refused.error().contains("3 inputs")), (400, true));
    for path in ["/api/search", "/api/search?object=400", "/api/search?object=1&metric=odd", "/api/explain?a=1"] {
        assert!([400, 404].contains(&page.get(path).status), "{path}");
    }
}

#[test]
fn the_state_and_the_overview_say_how_things_stand() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.sibp");
    let fitted = start().fitted;
    fitted.save(&path).unwrap();
    let texts = (0..N).map(|at| format!("text {at}")).collect();
    let shown = Source { texts: Some(texts), ..source() };
    let page = Page::new(shown, Some(Start { fitted, path: path.clone() }), Settings::default());
    let state = page.json("/api/state");
    assert_eq!((&state["version"], &state["objects"], &state["show"]), (&json!(1), &json!(N), &json!("text")));
    assert_eq!(state["labels"]["names"], json!(["even", "odd"]));
    let warns =
        |state: &Value| state["warnings"].as_array().unwrap().iter().any(|w| w.as_str().unwrap().contains("is gone"));
    assert!(!warns(&state));
    std::fs::remove_file(&path).unwrap();
    assert!(warns(&page.json("/api/state")), "a model file that disappears is told");
    assert_eq!(page.get("/api/bits").status, 200, "and the page goes on");
    let object = page.json("/api/object/5");
    assert_eq!((&object["text"], &object["label"], &object["image"]), (&json!("text 5"), &json!("odd"), &json!(false)));
    assert_eq!(object["values"].as_array().unwrap().len(), 3);
    let overview = page.json("/api/overview");
    assert!(overview["headline"].as_str().unwrap().contains("for 40 objects"), "{overview}");
    let traces = overview["traces"].as_array().unwrap();
    assert_eq!(traces.len(), 3);
    assert_eq!(traces[0]["sweeps"].as_array().unwrap().len(), 30);
    for diagnostic in overview["diagnostics"].as_array().unwrap() {
        assert!(diagnostic["sentence"].as_str().unwrap().len() > 10 && diagnostic["good"].is_boolean());
    }
}

/// Standard base64.
fn decoded(text: &str) -> Vec<u8> {
    let value = |c: u8| match c {
        b'A'..=b'Z' => u32::from(c - b'A'),
        b'a'..=b'z' => u32::from(c - b'a') + 26,
        b'0'..=b'9' => u32::from(c - b'0') + 52,
        b'+' => 62,
        _ => 63,
    };
    let chunk = |four: &[u8]| {
        let word = four.iter().fold(0, |word, &c| word << 6 | if c == b'=' { 0 } else { value(c) });
        let n = 3 - four.iter().filter(|&&c| c == b'=').count();
        word.to_be_bytes()[1..=n].to_vec()
    };
    text.as_bytes().chunks(4).flat_map(chunk).collect()
}
