"""Draws codes, chains and retrieval with matplotlib (`pip install 'sibp[plot]'`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from sibp._index import HammingIndex

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from sibp._sampled import SampledModel


def _axes(ax: Axes | None) -> Axes:
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("plots need matplotlib: pip install 'sibp[plot]'") from None
    return plt.subplots()[1]


def plot_codes(codes: ArrayLike, y: ArrayLike | None = None, *, ax: Axes | None = None) -> Axes:
    """Draw codes as a picture, one row per object and one column per bit, grouped by label.

    Parameters
    ----------
    codes : array of 0 and 1, shape (n_objects, n_bits)
        As `transform` gives them.
    y : array, shape (n_objects,), optional
        Objects of a class are put together, with a line between classes.
    ax : matplotlib Axes, optional

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> from sibp.plot import plot_codes
    >>> ax = plot_codes([[0, 1], [1, 1], [0, 0]], y=["a", "b", "a"])
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['a', 'b']
    """
    bits = np.asarray(codes)
    if bits.ndim != 2:
        raise ValueError(f"codes: the shape is {bits.shape}; give one row an object, one column a bit")
    ax = _axes(ax)
    if y is not None:
        labels = np.asarray(y)
        if labels.shape != (len(bits),):
            raise ValueError(f"y: the shape is {labels.shape} for {len(bits)} objects; give one label each")
        order = np.argsort(labels, kind="stable")
        bits = bits[order]
        classes, sizes = np.unique(labels, return_counts=True)
        ends = np.cumsum(sizes)
        for end in ends[:-1]:
            ax.axhline(end - 0.5, color="tab:red", linewidth=0.8)
        ax.set_yticks(ends - sizes / 2 - 0.5, [str(name) for name in classes])
    # Bits that most objects own stand on the left.
    shares = bits.mean(axis=0) if len(bits) else np.zeros(bits.shape[1])
    ax.imshow(bits[:, np.argsort(-shares, kind="stable")], aspect="auto", cmap="Greys", interpolation="nearest")
    ax.set_xlabel("bit, by share of owners")
    ax.set_ylabel("object" if y is None else "class")
    return ax


def plot_trace(
    model: SampledModel, names: Sequence[str] = ("n_bits", "log_likelihood"), *, axes: Sequence[Axes] | None = None
) -> list[Axes]:
    """Draw numbers of every sweep, one line per chain.

    Parameters
    ----------
    model : fitted estimator
    names : sequence of str
        Which numbers: "n_bits", "log_likelihood", "log_joint", "satisfied" or a hyper-parameter.
    axes : sequence of matplotlib Axes, optional
        One for each name.

    Returns
    -------
    axes : list of matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from sibp import IBP
    >>> from sibp.plot import plot_trace
    >>> model = IBP(sweeps=20, chains=3, random_state=0).fit(np.repeat(np.eye(3), 10, axis=0))
    >>> len(plot_trace(model, ["n_bits"])[0].lines)
    3
    """
    traces = model.traces_
    unknown = [name for name in names if name not in traces[0]]
    if unknown:
        raise ValueError(f"names: {unknown} are unknown; choose among {', '.join(traces[0])}")
    drawn = [_axes(None) for _ in names] if axes is None else list(axes)
    if len(drawn) != len(names):
        raise ValueError(f"axes: {len(drawn)} for {len(names)} names; give one each")
    for name, ax in zip(names, drawn, strict=True):
        for chain, trace in enumerate(traces):
            ax.plot(np.arange(1, len(trace[name]) + 1), trace[name], label=f"chain {chain + 1}", linewidth=0.8)
        ax.set_xlabel("sweep")
        ax.set_ylabel(name.replace("_", " "))
        ax.legend()
    return drawn


def plot_retrieval(
    codes: Any,
    y: ArrayLike,
    queries: Any,
    y_queries: ArrayLike,
    *,
    most: int = 100,
    label: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw precision among the k nearest codes, for every k.

    Parameters
    ----------
    codes : array of 0 and 1, shape (n_objects, n_bits)
        Codes that are searched.
    y : array, shape (n_objects,)
        Their labels.
    queries : array of 0 and 1, shape (n_queries, n_bits)
    y_queries : array, shape (n_queries,)
    most : int
        Largest k.
    label : str, optional
        Name of the line, for a legend.
    ax : matplotlib Axes, optional
        Call again with the same axes to compare.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> from sibp.plot import plot_retrieval
    >>> ax = plot_retrieval([[0, 0], [0, 1], [1, 1]], [0, 0, 1], [[0, 0]], [0])
    >>> ax.lines[0].get_ydata().round(2).tolist()
    [1.0, 1.0, 0.67]
    """
    bits, asked = np.asarray(codes, dtype=np.uint8), np.asarray(queries, dtype=np.uint8)
    if bits.ndim != 2 or asked.ndim != 2 or bits.shape[1] != asked.shape[1]:
        raise ValueError(f"codes, queries: the shapes {bits.shape} and {asked.shape} do not belong together")
    index = HammingIndex(bits.shape[1])
    index.add(np.packbits(bits, axis=1))
    _, ids = index.search(np.packbits(asked, axis=1), min(most, len(bits)))
    hits = np.asarray(y)[ids] == np.asarray(y_queries)[:, None]
    k = np.arange(1, ids.shape[1] + 1)
    ax = _axes(ax)
    ax.plot(k, (np.cumsum(hits, axis=1) / k).mean(axis=0), label=label)
    ax.set_xlabel("k nearest codes")
    ax.set_ylabel("share of the same class")
    if label is not None:
        ax.legend()
    return ax
