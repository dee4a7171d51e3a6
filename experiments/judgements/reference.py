#!/usr/bin/env python3
"""Embeds the splits of `judgements split` by cblearn, and writes how well the embeddings agree with unseen judgements.

    reference.py FOLDER [--dimensions 3,4,5,6,8,10] [--restarts 3] [--methods SOE,t-STE,STE,CKL]

FOLDER holds train-SIZE-SPLIT.npy and test-SPLIT.npy; reference.csv is written there. The dimension is chosen by a tenth
of the training judgements, after which the method is fitted again to all of them. A second row a method takes the
dimension that is best on the test itself, which nobody knows beforehand: it bounds what a better choice could reach.
Every fit is restarted, and the start with the lowest training loss is taken.
"""

import argparse
import csv
import pathlib
import time
import warnings

import numpy as np
from cblearn.embedding import CKL, SOE, STE, TSTE

METHODS = {"SOE": SOE, "t-STE": TSTE, "STE": STE, "CKL": CKL}
FIELDS = ["method", "training", "split", "agreement", "ece", "brier", "size", "seconds"]


def fit(method, dimension, judgements, n_objects, restarts):
    """The estimator whose training loss is lowest; SOE restarts by itself."""
    if method == "SOE":
        starts = [SOE(dimension, n_init=restarts, random_state=1)]
    else:
        starts = [METHODS[method](dimension, random_state=seed) for seed in range(1, restarts + 1)]
    return min((start.fit(judgements, n_objects=n_objects) for start in starts), key=lambda fitted: fitted.stress_)


def distances(fitted, judgements):
    """Squared distances from the anchor to near and to far."""
    anchor, near, far = (fitted.embedding_[column] for column in judgements.T)
    return ((anchor - near) ** 2).sum(1), ((anchor - far) ** 2).sum(1)


def agreement(fitted, judgements):
    """Share of judgements that distances agree with; a tie counts half."""
    to_near, to_far = distances(fitted, judgements)
    return float((to_near < to_far).mean() + 0.5 * (to_near == to_far).mean())


def probabilities(method, fitted, judgements):
    """Probabilities by the method's own likelihood, None for SOE, which has none."""
    to_near, to_far = distances(fitted, judgements)
    if method == "CKL":
        mu = fitted.mu
        return (mu + to_far + 1e-12) / (2 * mu + to_near + to_far + 2e-12)
    if method == "STE":
        return 1 / (1 + np.exp(np.clip(to_near - to_far, -700, 700)))
    if method == "t-STE":
        freedom = max(fitted.n_components - 1, 1)
        near, far = ((1 + d / freedom) ** (-(freedom + 1) / 2) for d in (to_near, to_far))
        return near / (near + far)
    return None


def calibration(p):
    """Expected calibration error in ten bins with each judgement in both directions, and Brier score; as in sibp."""
    if p is None:
        return "", ""
    both, truth = np.concatenate([p, 1 - p]), np.concatenate([np.ones_like(p), np.zeros_like(p)])
    bins = np.minimum((both * 10).astype(int), 9)
    apart = np.abs(np.bincount(bins, both, 10) - np.bincount(bins, truth, 10)).sum() / len(both)
    return float(apart), float(((1 - p) ** 2).mean())


def measure(method, train, test, dimensions, restarts):
    """Rows (name, agreement, ece, brier, dimension, seconds) of one method on one split."""
    n_objects = int(max(train.max(), test.max())) + 1
    n_kept = len(train) - len(train) // 10
    start = time.perf_counter()
    validated = [agreement(fit(method, d, train[:n_kept], n_objects, restarts), train[n_kept:]) for d in dimensions]
    choosing = time.perf_counter() - start
    fitted, seconds = {}, {}
    for d in dimensions:
        start = time.perf_counter()
        fitted[d] = fit(method, d, train, n_objects, restarts)
        seconds[d] = time.perf_counter() - start

    def row(name, d, more):
        ece, brier = calibration(probabilities(method, fitted[d], test))
        return [name, agreement(fitted[d], test), ece, brier, d, seconds[d] + more]

    chosen = dimensions[int(np.argmax(validated))]
    best = max(dimensions, key=lambda d: agreement(fitted[d], test))
    return [row(method, chosen, choosing), row(f"{method}, dimension by the test", best, 0.0)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--dimensions", default="3,4,5,6,8,10")
    parser.add_argument("--restarts", type=int, default=3)
    parser.add_argument("--methods", default=",".join(METHODS))
    options = parser.parse_args()
    dimensions = [int(d) for d in options.dimensions.split(",")]
    warnings.filterwarnings("ignore", category=FutureWarning)
    splits = [(int(size), int(split)) for _, size, split in (f.stem.split("-") for f in options.folder.glob("train-*.npy"))]
    with open(options.folder / "reference.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(FIELDS)
        for size, split in sorted(splits):
            train = np.load(options.folder / f"train-{size}-{split}.npy").astype(np.int32)
            test = np.load(options.folder / f"test-{split}.npy").astype(np.int32)
            for method in options.methods.split(","):
                for name, *values in measure(method, train, test, dimensions, options.restarts):
                    writer.writerow([name, size, split, *values])
                    file.flush()
                    print(f"{size:>6} {split} {name:<32} {values[0]:.4f} with {values[3]} dimensions, {values[4]:.1f} s")


if __name__ == "__main__":
    main()
