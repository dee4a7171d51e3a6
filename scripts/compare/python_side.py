"""Does one job with the installed Python package, in the current folder: `python_side.py NAME [OPTION...]`.

compare_bytes.py runs it with two interpreters, each with a wheel of its own, and compares what is written and printed.
"""

import json
import sys
import warnings

import numpy as np

import sibp

RUN = {"sweeps": 15, "chains": 2, "random_state": 1, "n_neighbors": 3}
MODELS = {
    "probit": (sibp.SuperProbitIBP, {"per_object": 6}),
    "gaussian": (sibp.SuperGaussianIBP, {"per_object": 6}),
    "ibp": (sibp.IBP, {}),
    "ddibp-input": (sibp.DDIBP, {}),
    "ddibp-output": (sibp.DDIBP, {"distance": "output"}),
}
SUPERVISED = ("probit", "gaussian")
HASHES = {
    "spectral": lambda: sibp.SpectralHashing(n_bits=7),
    "itq": lambda: sibp.ITQ(n_bits=8, random_state=1),
    "lsh": lambda: sibp.LSH(n_bits=20, random_state=1),
    "attributes": lambda: sibp.AttributeHash(),
}


def arrays():
    """Digits to learn from and others, with labels and given bits."""
    return {name: np.load(f"{name}.npy").astype(float if name in "xq" else int) for name in ("x", "y", "h", "q", "yq", "hq")}


def save(name, array):
    np.save(f"{name}.npy", np.asarray(array))


def use(model, name, of, given):
    """Everything a fitted model says about unseen objects."""
    asked = {"given_bits": of["hq"]} if given else {}
    for code in ("map", "last", "concatenate"):
        model.set_params(code=code)
        save(f"{name}-{code}", model.transform(of["q"], **asked))
        save(f"{name}-{code}-packed", model.packed(of["q"], **asked))
        save(f"{name}-{code}-weights", model.weights_)
        save(f"{name}-{code}-codes", model.codes_)
    model.set_params(code="map")
    save(f"{name}-predicted", model.predict(of["q"], **asked))
    distances, ids = model.index(of["q"], **asked).kneighbors(of["q"], 4, **asked)
    save(f"{name}-distances", distances)
    save(f"{name}-ids", ids)
    if hasattr(model, "predict_bits"):
        save(f"{name}-bits", model.predict_bits(of["q"], **asked))
    if hasattr(model, "predict_preference"):
        rows = {"given_bits": (of["hq"][:9], of["hq"][9:18], of["hq"][18:27])} if given else {}
        save(f"{name}-preferred", model.predict_preference(of["q"][:9], of["q"][9:18], of["q"][18:27], **rows))


def fit(name, preset="hash", given=""):
    """Fits a model, saves it, says what it holds, uses it."""
    of = arrays()
    kind, options = MODELS[name]
    options = {**options, "preset": preset} if name in SUPERVISED else options
    model = kind(**RUN, **options).fit(of["x"], of["y"], **({"given_bits": of["h"]} if given else {}))
    model.save("m.sibp")
    traces = [{key: list(map(float, column)) for key, column in trace.items()} for trace in model.traces_]
    draws = [[sorted(draw) for draw in chain] for chain in model.draws_]
    print(json.dumps([traces, draws, model.diagnostics_, repr(model)], indent=1))
    use(model, "m", of, given)
    use(sibp.load("m.sibp"), "loaded", of, given)


def triplets():
    of = arrays()
    found = sibp.triplets_from_labels(of["y"], per_object=4, random_state=1)
    save("triplets", found)
    model = sibp.SuperProbitIBP(**{**RUN, "sweeps": 8}).fit(of["x"], triplets=found)
    model.save("triplets.sibp")
    print(model.score_triplets(of["x"], found))


def hashes():
    of = arrays()
    for name, make in HASHES.items():
        model = make().fit(of["x"], of["h"] if name == "attributes" else None)
        model.save(f"{name}.sibh")
        save(name, model.transform(of["q"]))


def index():
    codes, queries = np.load("codes.npy"), np.load("queries.npy")
    index = sibp.HammingIndex(24)
    index.add(codes)
    index.remove([3, 17])
    index.save("i.sibx")
    for name, found in zip(("distances", "ids"), index.search(queries, 5), strict=True):
        save(name, found)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    {"fit": fit, "triplets": triplets, "hashes": hashes, "index": index}[sys.argv[1]](*sys.argv[2:])
