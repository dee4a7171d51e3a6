//! Tests the distance-dependent IBP on the command line, from fit to every command that uses the model.

use crate::common::Folder;

const FIT: &str = "fit x.npy --model ddibp --seed 1 --sweeps 20 --quiet";

#[test]
fn goes_the_whole_way_with_both_distances() {
    let folder = Folder::with_data();
    for distance in ["input", "output"] {
        folder.ok(&format!("{FIT} --labels y.npy --distance {distance} -o m.sibp"));
        let text = folder.ok("inspect m.sibp");
        assert!(text.contains("distance-dependent IBP") && text.contains("exponential, rate"), "{text}");
        for encoder in ["links", "ridge", "gibbs", "best-code", "least-squares"] {
            folder.ok(&format!("encode m.sibp x.npy --encoder {encoder} --quiet -o codes.npy"));
        }
        folder.ok("encode m.sibp x.npy --code concatenate --quiet -o codes.npy");
        folder.ok("encode m.sibp x.npy --quiet -o codes.npy");
        folder.ok("search codes.npy x.npy --model m.sibp -k 3");
        folder.ok("predict m.sibp x.npy");
        folder.ok("eval m.sibp x.npy --labels y.npy");
        folder.ok("report m.sibp --image 3x2 -o m.html");
        assert!(folder.text("m.html").contains("What each bit paints"));
        folder.write("t.csv", "anchor,near,far\n0,3,1\n");
        folder.fails("prefer m.sibp x.npy --triplets t.csv", &["without triplets"]);
    }
}

#[test]
fn decays_are_the_users_or_suit_the_data() {
    let folder = Folder::with_data();
    for (decay, words) in [
        ("exponential:2.5", "exponential, rate 2.5"),
        ("window:1.5", "window of width 1.5"),
        ("logistic:2,0.5", "logistic, centre 2, scale 0.5"),
        ("window", "window of width "),
    ] {
        folder.ok(&format!("{FIT} --decay {decay} -o m.sibp"));
        let text = folder.ok("inspect m.sibp");
        assert!(text.contains(words), "{decay}: {text}");
    }
}

#[test]
fn unusable_distances_are_named() {
    let folder = Folder::with_data();
    folder.misused(&format!("{FIT} --distance output -o m.sibp"), &["--distance output", "--labels"]);
    folder.misused(&format!("{FIT} --decay exponential:-1 -o m.sibp"), &["decay rate is -1"]);
    folder.misused(&format!("{FIT} --decay linear:1 -o m.sibp"), &["exponential:RATE", "window:WIDTH"]);
    folder.misused(&format!("{FIT} --triplets t.csv -o m.sibp"), &["ddibp", "triplets"]);
    folder.misused(&format!("{FIT} --start coins:5 -o m.sibp"), &["ddibp", "Coins(5)"]);
    folder.misused("fit x.npy --model ibp --decay window -o m.sibp", &["--decay", "ddibp"]);
    folder.ok("fit x.npy --model ibp --sweeps 5 --quiet -o m.sibp");
    folder.misused("encode m.sibp x.npy --encoder links -o c.npy", &["links", "ddibp"]);
    assert!(!folder.has("c.npy"));
}

#[test]
fn an_interrupted_run_goes_on_to_the_same_bytes() {
    let folder = Folder::with_data();
    let fit = "fit x.npy --labels y.npy --model ddibp --distance output --seed 1 --sweeps 400 --quiet";
    folder.ok(&format!("{fit} -o whole.sibp"));
    folder.stopped(fit, "m.sibp");
    assert!(folder.read("m.sibp") != folder.read("whole.sibp"), "the first run was not cut short");
    folder.ok(&format!("{fit} --resume -o m.sibp"));
    assert!(folder.read("m.sibp") == folder.read("whole.sibp"));
}
