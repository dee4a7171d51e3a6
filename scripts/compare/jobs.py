"""Lists the jobs that two builds must do alike: groups of command lines that run one after another in a folder.

A line is a job. `> FILE` at its end keeps stdout in a file; `!` before it says that the command must refuse it.
None fits the probit model to more than 20,000 objects without --schedule, where its default may change.
"""

from dataclasses import dataclass, field

FIT = "--seed 1 --chains 2 --quiet"
LABELS = "--labels y.npy --per-object 6"
# What each model is fitted to, apart from features. The last word of a name tells variants of one model apart.
MODELS = {
    "probit": f"x.npy --model probit {LABELS} --sweeps 12",
    "gaussian": f"x.npy --model gaussian {LABELS} --sweeps 60",
    "ibp": "x.npy --model ibp --labels y.npy --sweeps 60",
    "ddibp-input": "x.npy --model ddibp --labels y.npy --distance input --sweeps 40",
    "ddibp-output": "x.npy --model ddibp --labels y.npy --distance output --sweeps 40",
}
SUPERVISED = ["probit", "gaussian"]
ENCODERS = {
    "probit": ["refit", "drawn"],
    "gaussian": ["best-code", "ridge", "least-squares", "gibbs"],
    "ibp": ["best-code", "ridge", "least-squares", "gibbs"],
    "ddibp-input": ["links", "best-code", "ridge", "least-squares", "gibbs"],
    "ddibp-output": ["links", "best-code", "ridge", "least-squares", "gibbs"],
}
CODES = ["map", "last", "concatenate"]


@dataclass
class Group:
    """Jobs of one folder."""

    name: str
    lines: list
    # Those of the lines that only read what the others have written: the other build must read it as well.
    reads: list = field(default_factory=list)
    # What the base alone runs first; both sides start with what it leaves.
    first: list = field(default_factory=list)
    # Whether lines are for the Python package (python_side.py) instead of the command.
    python: bool = False


def uses(file, given=""):
    """What is done with a model `file`, apart from encoding: `given` are options for given bits of q.npy."""
    return [
        f"predict {file} q.npy {given} -k 5 --json",
        f"eval {file} q.npy --labels yq.npy {given} -k 1,5 --json",
        f"inspect {file} --json",
        f"inspect {file}",
    ]


def encodings(name, file, given=""):
    lines = [f"encode {file} q.npy {given} --quiet -o {name}-default.npy"]
    for encoder in ENCODERS[name]:
        for code in CODES:
            out = f"{file}-{encoder}-{code}.npy"
            lines.append(f"encode {file} q.npy {given} --encoder {encoder} --code {code} --quiet -o {out}")
    lines.append(f"encode {file} --training --format bits --quiet -o {file}-training.npy")
    lines.append(f"encode {file} --training --training-codes encoded --json -o {file}-encoded.npy")
    return lines


def searches(name, file, given=""):
    """Searches in the codes of the training objects, which `encodings` has left."""
    codes = f"{file}-training.npy"
    lines = [
        f"search {codes} q.npy --model {file} {given} -k 4 --json",
        f"search {codes} q.npy --model {file} {given} --radius 3 --json",
        f"search {codes} q.npy --model {file} {given} --weighted {file} -k 4 -o w.csv",
        f"search {codes} q.npy --model {file} {given} --among some.txt -k 3 -o ids.npy --distances d.npy",
    ]
    expected = f"search {codes} q.npy --model {file} {given} --expected -k 4 --json"
    return lines + [expected if name == "probit" else f"! {expected}"]


def model_group(name, preset):
    """A model of one preset: fits, and everything that is done with the file."""
    fit, file = f"fit {MODELS[name]} --preset {preset} {FIT}", "m.sibp"
    reads = [*encodings(name, file), *searches(name, file), *uses(file)]
    reads += [f"eval {file} q.npy --labels yq.npy --code concatenate", f"report {file} --image 8x8 -o r.html"]
    if name in SUPERVISED:
        reads += [f"prefer {file} q.npy --triplets askq.csv --json", f"prefer {file} q.npy --triplets askq.csv"]
        reads += [f"prune {file} q.npy --labels yq.npy --per-object 4 --json"] if name == "probit" else []
    else:
        reads += [f"! prefer {file} q.npy --triplets askq.csv"]
    lines = [f"{fit} --json -o {file}", f"{fit} --threads 1 -o one.sibp"]
    if name in SUPERVISED:
        lines += [f"{fit.replace(LABELS, '--triplets t.csv')} -o triplets.sibp"]
    return Group(f"{name} {preset}", lines + reads, reads)


def given_group(name, preset):
    """Given bits as 0 and 1, packed, and predicted by a hash."""
    fit = f"fit {MODELS[name]} --preset {preset} {FIT}"
    lines = [
        "hash fit x.npy --method itq --bits 5 --seed 2 --quiet -o h.sibh",
        f"{fit} --given-bits h.npy -o bits.sibp",
        f"{fit} --given-bits hp.npy --given-width 3 --given-weights 2 -o packed.sibp",
        f"{fit} --given-bits h.sibh -o hash.sibp",
    ]
    reads = []
    for file, given in (("bits.sibp", "--given-bits hq.npy"), ("packed.sibp", "--given-bits hqp.npy"), ("hash.sibp", "")):
        reads += [*encodings(name, file, given), *searches(name, file, given), *uses(file, given)]
        reads += [f"prefer {file} q.npy --triplets askq.csv {given} --csv", f"report {file} -o r.html"]
    return Group(f"{name} {preset}, given bits", lines + reads, reads)


def settings_group():
    """Options of fit, each alone or with few others, and files of other kinds."""
    gaussian = "--model gaussian --labels y.npy --per-object 6 --sweeps 6"
    probit = "--labels y.npy --per-object 6 --sweeps 6"
    ddibp = "s.npy --model ddibp --sweeps 6"
    fits = [
        *(f"x.npy {model} --transform {steps}" for model in (probit, gaussian) for steps in TRANSFORMS),
        *(f"{ddibp} --decay {decay}" for decay in ("exponential:2.5", "window:1.5", "logistic:2,0.5", "window")),
        f"{ddibp} --labels ys.npy --distance output --decay logistic",
        f"{ddibp} --start links:4",
        *(f"x.npy {model} --start {start}" for model in (probit, gaussian) for start in STARTS),
        *(f"x.npy {model} --lapse 0.05 --weights gamma:2,1 --pseudo-weight 0.5" for model in (probit, gaussian)),
        *(f"x.npy {model} --lapse beta:1,50 --weights 2 --pseudo-weight 10" for model in (probit, gaussian)),
        f"x.npy {probit} --draws 2",
        f"x.npy {probit} --scheme product",
        f"x.npy {probit} --near nearest --far impostor",
        f"x.npy {gaussian} --near nearest --far impostor",
        f"x.npy {probit} --split split.csv --repeat 1",
        f"x.npy {probit} --storage disk",
        f"x.npy {gaussian} --storage disk --transform centre,single",
        "x.csv --id-column name --label-column class --per-object 4 --sweeps 6",
        "x.csv --id-column name --label-column class --triplets tnamed.csv --sweeps 6",
        "x.npy --ids ids.txt --triplets tnamed.csv --model gaussian --sweeps 6",
        f"x.npy {gaussian} --schedule rows,variances*2",
        f"x.npy {probit} --schedule slice-rows,regressions:elliptical,sticks,weights,lapse,concentration,variances",
        "x.npy --model ibp --sweeps 6",
        *(f"s.npy --model ibp --sweeps 6 --start {start}" for start in STARTS),
        *(f"s.npy --model {model} --sweeps 6 --{option}" for model in ("ibp", "ddibp") for option in UNUSED),
        "many.npy --labels ymany.npy --per-object 4 --sweeps 3",
        "many.npy --labels ymany.npy --per-object 4 --sweeps 3 --chains 1 --preset paper --storage disk",
        "many.npy --labels ymany.npy --per-object 4 --sweeps 2 --model gaussian",
        "many.npy --model ibp --sweeps 2",
    ]
    lines = [f"fit {words} --seed 2 --json -o m{at}.sibp" for at, words in enumerate(fits)]
    return Group("settings of fit", lines)


TRANSFORMS = ["none", "centre", "sqrt,scale", "unit", "standardise,scale,single", "standardise,pca:5", "scale,fourier:12"]
# Options that models without triplets take and do not use.
UNUSED = ["lapse 0.1", "weights 2", "pseudo-weight 1"]
STARTS = ["coins:5", "hyperplanes:5", "prior"]


def schedule_group():
    lines = []
    for model in ("probit", "gaussian", "ibp", "ddibp"):
        for preset in ("hash", "paper"):
            options = f"fit --model {model} --preset {preset} --print-schedule"
            lines += [options, f"{options} --json > {model}.json"]
        words = MODELS.get(model, MODELS["ddibp-input"])
        lines.append(f"fit {words} --schedule {model}.json {FIT} -o {model}.sibp")
    return Group("schedules", lines)


def tune_group():
    fit = "fit few.npy --labels yfew.npy --tune --pseudo-weight 5 --sweeps 6 --seed 1"
    lines = [
        f"{fit} --lapse 0.01 --per-object 10 -o m.sibp",
        f"{fit} --transform standardise,scale --per-object 5 -o n.sibp",
        f"{fit} --transform standardise,scale --per-object 5 --lapse 0.01 --given-bits hs.sibh -o g.sibp",
    ]
    return Group("tune", ["hash fit few.npy --method lsh --bits 3 --quiet -o hs.sibh", *lines])


def extend_group():
    """Codes that grow onto their own stack, of a model and of given bits, and shrink again."""
    extend = "--per-object 6 --sweeps 12 --chains 2 --seed 1"
    reads = [
        "encode g.sibh q.npy --format bits --quiet -o gq.npy",
        "encode b.sibh q.npy --quiet -o bq.npy",
        "encode b.sibh q.npy --given-bits hq.npy --quiet -o known.npy",
        "search gq.npy q.npy --model g.sibh -k 3 --json",
        "search gq.npy q.npy --model g.sibh --weighted g.sibh -k 3 --json",
        "inspect g.sibh",
        "inspect b.sibh --json",
        "prune b.sibh q.npy --labels yq.npy --per-object 4 --json",
    ]
    lines = [
        f"fit x.npy {LABELS} --sweeps 3 --start coins:2 {FIT} -o m.sibp",
        f"extend m.sibp q.npy --labels yq.npy {extend} --json -o g.sibh",
        f"extend g.sibh x.npy --labels y.npy {extend} --json -o g.sibh",
        f"extend m.sibp q.npy --labels yq.npy --remember x.npy --memory 30 {extend} --preset paper --json -o r.sibh",
        f"extend m.sibp q.npy --triplets tq.csv --sweeps 12 --chains 2 --code concatenate --json -o c.sibh",
        f"extend --given-bits h.npy x.npy --labels y.npy {extend} --json -o b.sibh",
        f"extend b.sibh q.npy --labels yq.npy {extend} --transform centre --old-weights 1 --json -o b.sibh",
        *reads,
        "prune m.sibp q.npy --labels yq.npy -o p.sibh",
        "prune g.sibh q.npy --triplets tq.csv -o pg.sibh",
        "prune g.sibh q.npy --labels yq.npy",
        "encode p.sibh q.npy --quiet -o pq.npy",
    ]
    return Group("extend and prune", lines, reads)


def hash_group():
    methods = {"spectral": "--bits 7", "itq": "--bits 8", "lsh": "--bits 20", "attributes": "--targets h.npy"}
    lines, reads = [], []
    for method, bits in methods.items():
        for at, steps in enumerate(("centre", "standardise,unit")):
            file = f"{method}{at}.sibh"
            lines.append(f"hash fit x.npy --method {method} {bits} --transform {steps} --seed 3 --quiet -o {file}")
            reads.append(f"hash encode {file} q.npy -o {method}{at}.npy")
            reads.append(f"encode {file} q.npy --format bits --quiet -o {method}{at}-bits.npy")
            reads.append(f"inspect {file} --json")
    return Group("hashes", lines + reads, reads)


def index_group():
    reads = [
        "index info codes.sibx --verify --json",
        "index info named.sibx",
        "search codes.sibx queries.npy -k 7 --json",
        "search codes.sibx queries.npy -k 7 -o ids.npy --distances d.npy",
        "search named.sibx queries.npy --radius 4 --format csv",
        "search named.sibx queries.npy -k 5 --among some.txt",
        "search codes.npy queries.npy -k 3 --threads 1",
        "search codes.npy queries.npy --radius 2.5 -o r.jsonl",
        "search codes.npy queries.npy -k 3 --among rows.txt -o c.csv",
        *(f"export named.sibx --to {to} -o named.{to}" for to in ("faiss", "parquet")),
        "export named.sibx --to npy -o named.npy --ids named-ids.npy --json",
        *(f"export codes.npy --bits 24 --to {to} -o from-codes.{to}" for to in ("faiss", "npy", "parquet")),
        "predict codes.npy queries.npy --labels votes.txt -k 5 -o p.csv",
    ]
    lines = [
        "index build codes.npy --bits 24 -o codes.sibx",
        "index build codes.npy --bits 24 --ids numbers.txt --json -o named.sibx",
        *reads,
        "index add codes.sibx more.npy",
        "index remove codes.sibx 3 17 905",
        "index add codes.sibx more.npy -o larger.sibx",
        "index extend named.sibx wider.npy --bits 16 -o wider.sibx",
        "index remove named.sibx --ids some.txt",
        "index info wider.sibx --verify",
        "index info codes.sibx --json",
        "search larger.sibx queries.npy -k 7 --json",
    ]
    return Group("index, search and export", lines, reads)


def triplets_group():
    from_labels = "triplets from-labels y.npy --seed 4"
    lines = [
        f"{from_labels} --per-object 3",
        f"{from_labels} --per-object 3 --scheme product -o product.csv",
        f"{from_labels} --per-object 3 --near nearest --far impostor --features x.npy -o near.npy",
        f"{from_labels} --per-object 3 --ids ids.txt -o named.tsv",
        "triplets check t.csv --objects 100 --json",
        "triplets check tnamed.csv --ids ids.txt",
        "triplets check product.csv",
    ]
    return Group("triplets", lines)


def resume_groups():
    """Runs that the base began: what a time limit left, or the checkpoint of a run that was killed."""
    words = {
        "probit": f"x.npy --model probit {LABELS} --sweeps 60",
        "probit paper": f"x.npy --model probit {LABELS} --preset paper --given-bits h.npy --sweeps 60",
        "gaussian": "s.npy --model gaussian --labels ys.npy --per-object 10 --sweeps 1500",
        "ibp": "s.npy --model ibp --sweeps 1500",
        "ddibp": "s.npy --model ddibp --labels ys.npy --distance output --sweeps 800",
    }
    for name, options in words.items():
        fit = f"fit {options} --seed 3 --quiet"
        lines = [f"{fit} --resume -o m.sibp", f"{fit} -o whole.sibp"]
        stopped = f"stop at m.sibp.checkpoint: {fit} --checkpoint-every 10ms -o m.sibp"
        first = [stopped, "inspect m.sibp", "must say: the run is unfinished"]
        yield Group(f"resume {name}", lines, first=first)
        yield Group(f"checkpoint {name}", lines[:1], first=[f"until m.sibp.checkpoint: {fit} --checkpoint-every 10ms -o m.sibp"])


def refusals_group():
    """What is refused, by which model, and in which words."""
    fit = "! fit x.npy --labels y.npy --sweeps 3"
    lines = [
        *(f"! fit x.npy --model {model} --given-bits h.npy -o m.sibp" for model in ("ibp", "ddibp")),
        *(f"! fit x.npy --model {model} --triplets t.csv -o m.sibp" for model in ("ibp", "ddibp")),
        *(f"! fit x.npy --model {model} -o m.sibp" for model in ("probit", "gaussian")),
        *(f"{fit} --model {model} --tune -o m.sibp" for model in ("gaussian", "ibp", "ddibp")),
        *(f"{fit} --model {model} --decay window -o m.sibp" for model in ("probit", "gaussian", "ibp")),
        *(f"{fit} --model {model} --distance output -o m.sibp" for model in ("probit", "gaussian", "ibp")),
        *(f"{fit} --model {model} --start links:3 -o m.sibp" for model in ("probit", "gaussian", "ibp")),
        *(f"{fit} --model ddibp --start {start} -o m.sibp" for start in STARTS[:2]),
        "! fit x.npy --model ddibp --distance output -o m.sibp",
        f"{fit} --model ddibp --decay exponential:-1 -o m.sibp",
        f"{fit} --pseudo-weight -1 -o m.sibp",
        f"{fit} --lapse 1 -o m.sibp",
        f"{fit} --chains 0 -o m.sibp",
        f"{fit} --model nothing -o m.sibp",
        f"{fit} --transform cube -o m.sibp",
        f"{fit} --schedule rows,sleep -o m.sibp",
        f"fit x.npy {LABELS} --sweeps 3 {FIT} -o p.sibp",
        f"fit x.npy {LABELS} --sweeps 3 --given-bits h.npy {FIT} -o h.sibp",
        f"fit x.npy --model gaussian {LABELS} --sweeps 3 {FIT} -o g.sibp",
        f"fit x.npy --model ibp --sweeps 3 {FIT} -o i.sibp",
        f"fit x.npy --model ddibp --sweeps 3 {FIT} -o d.sibp",
        *(f"! encode {file}.sibp q.npy --encoder refit -o c.npy" for file in "gid"),
        *(f"! encode p.sibp q.npy --encoder {encoder} -o c.npy" for encoder in ("ridge", "links")),
        *(f"! encode {file}.sibp q.npy --encoder links -o c.npy" for file in "gi"),
        "! encode h.sibp q.npy -o c.npy",
        "! encode p.sibp q.npy --given-bits hq.npy -o c.npy",
        *(f"! predict {file}.sibp q.npy --expected" for file in "gid"),
        *(f"! predict {file}.sibp q.npy" for file in "id"),
        *(f"! eval {file}.sibp q.npy --labels yq.npy --expected" for file in "gid"),
        *(f"! prefer {file}.sibp q.npy --triplets askq.csv" for file in "id"),
        *(f"! extend {file}.sibp q.npy --labels yq.npy -o e.sibh" for file in "gidh"),
        *(f"! prune {file}.sibp q.npy --labels yq.npy -o e.sibh" for file in "gidh"),
        f"{fit} --seed 2 --resume -o p.sibp",
        "! inspect x.npy",
        "! encode p.sibp s.npy -o c.npy",
    ]
    return Group("refusals", lines)


def interface_group():
    commands = "demo triplets fit inspect report encode hash extend prune index search export predict prefer eval".split()
    commands += ["reproduce", "verify", "completions", "man", "triplets from-labels", "triplets check", "hash fit"]
    commands += ["hash encode", *(f"index {word}" for word in ("build", "add", "remove", "extend", "info"))]
    commands += [f"reproduce {word}" for word in ("fig2", "fig3", "table1", "table2", "table3")]
    lines = [f"{command} --help" for command in ["", *commands]]
    return Group("interface", lines + ["man", "completions bash", "--version"])


def whole_group():
    """Commands that go the whole way."""
    return Group(
        "figures, tables, demo, checks",
        [
            "demo --train 150 --sweeps 6 --quiet",
            "reproduce fig2 --out f2 --sweeps 10 --per-object 3 --quiet",
            "reproduce fig3 --out f3 --sweeps 10 --per-object 3 --quiet",
            "reproduce table1 --out t --dataset digits --splits split5.csv --sweeps 2 --chains 2 --per-object 3 --quiet",
            "reproduce table2 --out t --dataset digits --splits split5.csv --sweeps 2 --chains 2 --per-object 3 --quiet",
            "verify --only classes --json --quiet",
        ],
    )


def python_groups():
    """Jobs of the Python package."""
    for name in MODELS:
        presets = ("hash", "paper") if name in SUPERVISED else ("hash",)
        lines = [f"fit {name} {preset}" for preset in presets]
        lines += [f"fit {name} {preset} given" for preset in presets if name in SUPERVISED]
        yield Group(f"python {name}", lines, python=True)
    yield Group("python", ["triplets", "hashes", "index"], python=True)


def all_groups():
    """Every group, long ones first."""
    presets = ("hash", "paper")
    return [
        tune_group(),
        settings_group(),
        whole_group(),
        *(given_group(name, preset) for name in SUPERVISED for preset in presets),
        *(model_group(name, preset) for name in MODELS for preset in presets),
        extend_group(),
        *resume_groups(),
        refusals_group(),
        schedule_group(),
        hash_group(),
        index_group(),
        triplets_group(),
        interface_group(),
        *python_groups(),
    ]
