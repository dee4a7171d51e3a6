"""Names what fits warn of."""


class CodeWarning(UserWarning):
    """A search by the fitted codes would suffer: they say nothing about held-out objects, or the same about most.

    The words are those of `sibp fit`. Chains that disagree are no reason by themselves; see `warnings_`.

    Examples
    --------
    >>> import warnings, sibp
    >>> warnings.simplefilter("ignore", sibp.CodeWarning)
    """
