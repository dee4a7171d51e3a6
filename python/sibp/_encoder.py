"""Gives codes to objects wherever they are: an encoder that left its model."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sibp import _arrays, _sibp

if TYPE_CHECKING:
    import pyarrow


class Encoder:
    """The part of a model that computes codes: a few kilobytes, and the anchors where inputs are similarity to anchors.

    Made by `model.to_encoder()`, or by `sibp export m.sibp --to encoder`. Its codes are those of the model. It needs no
    scikit-learn, it is pickled by its bytes, and it works on one thread unless told otherwise, as tasks of Spark, Dask
    or Ray should.

    Examples
    --------
    >>> import numpy as np
    >>> from sibp import LSH, Encoder
    >>> X = np.random.default_rng(0).normal(size=(50, 4))
    >>> hash = LSH(n_bits=12, random_state=0).fit(X)
    >>> encoder = Encoder.from_bytes(hash.to_encoder().to_bytes())
    >>> bool((encoder.encode(X) == hash.packed(X)).all())
    True
    """

    def __init__(self, native: _sibp.Encoder) -> None:
        if not isinstance(native, _sibp.Encoder):
            raise TypeError("Encoder: make it by model.to_encoder(), Encoder.load or Encoder.from_bytes")
        self._native = native

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Load an encoder (`.sibe`). Of a model (`.sibp`) its encoder is taken, and a hash (`.sibh`) is one.

        Parameters
        ----------
        path : str or path

        Returns
        -------
        encoder : Encoder

        Examples
        --------
        >>> import tempfile, numpy as np
        >>> from sibp import LSH, Encoder
        >>> X = np.random.default_rng(0).normal(size=(50, 4))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     LSH(n_bits=12, random_state=0).fit(X).to_encoder().save(f"{folder}/h.sibh")
        ...     Encoder.load(f"{folder}/h.sibh").n_bits
        12
        """
        return cls(_sibp.Encoder.load(path))

    def save(self, path: str | PathLike[str]) -> None:
        """Save it, as the command reads it: `.sibe`, or `.sibh` for the encoder of a hash.

        Parameters
        ----------
        path : str or path

        Examples
        --------
        >>> import tempfile, numpy as np
        >>> from sibp import IBP, Encoder
        >>> encoder = IBP(sweeps=10, random_state=0).fit(np.repeat(np.eye(3), 10, axis=0) * 5).to_encoder()
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     encoder.save(f"{folder}/m.sibe")
        ...     Encoder.load(f"{folder}/m.sibe").fingerprint == encoder.fingerprint
        True
        """
        self._native.save(path)

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Read the bytes of a file.

        Parameters
        ----------
        data : bytes

        Returns
        -------
        encoder : Encoder

        Examples
        --------
        >>> import numpy as np
        >>> from sibp import LSH, Encoder
        >>> hash = LSH(n_bits=12, random_state=0).fit(np.eye(4))
        >>> Encoder.from_bytes(hash.to_encoder().to_bytes()).n_inputs
        4
        """
        return cls(_sibp.Encoder.from_bytes(data))

    def to_bytes(self) -> bytes:
        """The bytes of its file; equal encoders give equal bytes.

        Returns
        -------
        data : bytes

        Examples
        --------
        >>> import numpy as np
        >>> from sibp import LSH
        >>> len(LSH(n_bits=12, random_state=0).fit(np.eye(4)).to_encoder().to_bytes()) < 4096
        True
        """
        return self._native.to_bytes()

    def __reduce__(self) -> tuple[Any, tuple[bytes]]:
        return type(self).from_bytes, (self.to_bytes(),)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Encoder) and self.to_bytes() == other.to_bytes()

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __repr__(self) -> str:
        return f"Encoder(n_inputs={self.n_inputs}, n_bits={self.n_bits}, fingerprint={self.fingerprint[:12]!r})"

    @property
    def n_bits(self) -> int:
        """Number of bits of a code."""
        return self._native.n_bits

    @property
    def n_bytes(self) -> int:
        """Number of bytes of a packed code."""
        return (self.n_bits + 7) // 8

    @property
    def n_inputs(self) -> int:
        """Number of inputs that an object must have."""
        return self._native.n_inputs

    @property
    def n_given_bits(self) -> int:
        """Number of given bits that must be passed for every object."""
        return self._native.n_given_bits

    @property
    def input_names(self) -> list[str] | None:
        """Names of the inputs, where they are known."""
        return self._native.input_names

    @property
    def fingerprint(self) -> str:
        """What the bits mean, as that of the model: codes with equal ones can be compared."""
        return self._native.fingerprint

    @property
    def weights(self) -> NDArray[np.float64]:
        """Weight of each bit, for weighted distances."""
        return self._native.weights()

    def encode(
        self,
        X: Any,
        *,
        input_col: str | Sequence[str] | None = None,
        given_bits: ArrayLike | None = None,
        n_jobs: int | None = 1,
    ) -> NDArray[np.uint8]:
        """Compute the packed codes of objects.

        Missing values (NaN, null) are filled in where the model was fitted with a rule for that.

        Parameters
        ----------
        X : array, shape (n_objects, n_inputs), or Arrow record batch or table
            Float32 and float64 are read as they are.
        input_col : str or list of str, optional
            For Arrow: the column of lists, or the columns of numbers, that hold the inputs. By default the only column,
            else those that the model was fitted to by name.
        given_bits : array of 0 and 1, shape (n_objects, n_given_bits), optional
            For a model that was fitted with given bits.
        n_jobs : int or None, default=1
            Threads; None for all cores.

        Returns
        -------
        codes : array of uint8, shape (n_objects, n_bytes)
            As numpy's packbits makes them.

        Examples
        --------
        >>> import numpy as np
        >>> from sibp import LSH
        >>> X = np.random.default_rng(0).normal(size=(50, 4))
        >>> LSH(n_bits=12, random_state=0).fit(X).to_encoder().encode(X[:3]).shape
        (3, 2)
        """
        bits = None if given_bits is None else _arrays.bits("given_bits", given_bits)
        if _is_arrow(X):
            from sibp import _arrow

            found = _arrow.inputs(_arrow.batch_of(X), input_col, self.n_inputs, self.input_names)
            _arrow.raise_first(found)
            rows = found.rows
        else:
            if input_col is not None:
                raise ValueError("input_col: it goes with Arrow; the columns of an array are the inputs")
            rows = self._matrix(X)
        return self._native.encode(rows, given_bits=bits, threads=_threads(n_jobs))[0]

    def encode_arrow(
        self,
        batch: Any,
        input_col: str | Sequence[str] | None = None,
        output_col: str = "code",
        *,
        errors: str | None = None,
        n_jobs: int | None = 1,
    ) -> pyarrow.RecordBatch | pyarrow.Table:
        """Give codes to the rows of an Arrow record batch or table, as a column of it.

        Parameters
        ----------
        batch : Arrow record batch or table
            Or anything that hands one over by Arrow's C interface, as Polars does.
        input_col : str or list of str, optional
            The column of lists, or the columns of numbers, that hold the inputs. By default the only column, else those
            that the model was fitted to by name.
        output_col : str, default="code"
            The column of packed codes (binary) that is added; one of that name is replaced.
        errors : str, optional
            The column of texts that says what is wrong with a row: a NaN, or a wrong number of inputs. Such rows have no
            code (null), all others no text. By default, the first such row raises an error that names it.
        n_jobs : int or None, default=1
            Threads; None for all cores.

        Returns
        -------
        batch : pyarrow.RecordBatch or pyarrow.Table

        Examples
        --------
        >>> import numpy as np, pyarrow as pa
        >>> from sibp import LSH
        >>> encoder = LSH(n_bits=12, random_state=0).fit(np.eye(4)).to_encoder()
        >>> batch = pa.record_batch({"id": [7, 8], "x": [[1.0, 0.0, 0.0, 0.0], [1.0, 0.0]]})
        >>> found = encoder.encode_arrow(batch, "x", errors="error")
        >>> found["error"].to_pylist()
        [None, '2 inputs instead of 4']
        >>> [code is None for code in found["code"].to_pylist()]
        [False, True]
        """
        from sibp import _arrow

        if self.n_given_bits:
            text = f"codes begin with {self.n_given_bits} given bits, which Arrow columns do not tell; use encode"
            raise ValueError(f"given_bits: {text}")
        if errors is not None and errors == output_col:
            raise ValueError(f"errors: {errors!r} is the column of the codes")
        plain = _arrow.batch_of(batch)
        found = _arrow.inputs(plain, input_col, self.n_inputs, self.input_names)
        if errors is None:
            _arrow.raise_first(found)
        codes, wrong = self._native.encode(found.rows, threads=_threads(n_jobs), collect=errors is not None)
        return _arrow.with_codes(plain, codes, output_col, errors, dict(wrong) | found.wrong)

    def _matrix(self, X: ArrayLike) -> NDArray[np.float64] | NDArray[np.float32]:
        """Inputs as a C-contiguous matrix of float32 or float64."""
        names, columns = self.input_names, getattr(X, "columns", None)
        if names is not None and columns is not None:
            missing = [name for name in names if name not in columns]
            if missing:
                raise ValueError(f"X: the column {missing[0]!r} that the model was fitted to is missing")
            X = X[names]  # type: ignore[index, call-overload]
        array = np.asarray(X)
        if array.ndim != 2:
            raise ValueError(f"X: the shape is {array.shape}; give one row an object, one column an input")
        if array.dtype.kind not in "buif":
            raise TypeError(f"X: the dtype is {array.dtype}; give numbers")
        if array.dtype in (np.float32, np.float16):
            return np.ascontiguousarray(array, dtype=np.float32)
        return np.ascontiguousarray(array, dtype=np.float64)


def _is_arrow(X: Any) -> bool:
    """Whether it hands over Arrow data; the frames of pandas and Polars are read as arrays."""
    return type(X).__module__.split(".")[0] == "pyarrow" or (
        (hasattr(X, "__arrow_c_array__") or hasattr(X, "__arrow_c_stream__")) and not hasattr(X, "__array__")
    )


def _threads(n_jobs: int | None) -> int:
    if n_jobs is not None and (isinstance(n_jobs, bool) or not isinstance(n_jobs, (int, np.integer)) or n_jobs == 0):
        raise ValueError(f"n_jobs: {n_jobs!r} is no number of threads; give 1, 2, ... or None for all cores")
    return 0 if n_jobs is None or n_jobs < 0 else int(n_jobs)
