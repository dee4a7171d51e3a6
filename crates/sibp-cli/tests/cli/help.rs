//! Tests `sibp --help`, `sibp completions` and `sibp man`.

use crate::common::Folder;

const COMMANDS: [&str; 21] = [
    "demo",
    "triplets",
    "fit",
    "inspect",
    "merge",
    "report",
    "page",
    "encode",
    "hash",
    "index",
    "search",
    "export",
    "predict",
    "prefer",
    "explain",
    "ask",
    "eval",
    "reproduce",
    "verify",
    "completions",
    "man",
];

#[test]
fn every_subcommand_has_help_with_an_example() {
    let folder = Folder::new();
    let top = folder.ok("--help");
    for name in COMMANDS {
        assert!(top.contains(&format!("\n  {name} ")), "{name} is missing in\n{top}");
        let help = folder.ok(&format!("{name} --help"));
        assert!(help.contains(&format!("Example:\n  sibp {name}")), "{name}:\n{help}");
    }
    for name in ["build", "add", "remove", "extend", "info"] {
        let help = folder.ok(&format!("index {name} --help"));
        assert!(help.contains(&format!("Example:\n  sibp index {name} ")), "{name}:\n{help}");
    }
    for name in ["fit", "encode"] {
        let help = folder.ok(&format!("hash {name} --help"));
        assert!(help.contains(&format!("Example:\n  sibp hash {name} ")), "{name}:\n{help}");
    }
    for name in ["from-judgements", "convert"] {
        let help = folder.ok(&format!("triplets {name} --help"));
        assert!(help.contains(&format!("Example:\n  sibp triplets {name} ")), "{name}:\n{help}");
    }
    for name in ["fig2", "fig3"] {
        let help = folder.ok(&format!("reproduce {name} --help"));
        assert!(help.contains(&format!("Example:\n  sibp reproduce {name} ")), "{name}:\n{help}");
    }
    assert!(folder.ok("--version").starts_with("sibp 0."));
    assert_eq!(folder.run("").code, 2);
    folder.misused("dance", &["dance"]);
}

#[test]
fn completions_and_manual_pages_name_every_subcommand() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = folder.ok(&format!("completions {shell}"));
        assert!(COMMANDS.iter().all(|name| script.contains(name)), "{shell}");
    }
    folder.misused("completions csh", &["csh", "bash"]);
    let page = folder.ok("man");
    assert!(page.contains(".TH sibp 1"), "{page}");
    folder.ok("man -o pages");
    assert!(folder.has("pages/sibp-index-extend.1"));
    assert!(COMMANDS.iter().all(|name| folder.has(&format!("pages/sibp-{name}.1"))) && folder.has("pages/sibp.1"));
}
