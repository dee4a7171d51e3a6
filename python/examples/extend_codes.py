# %% [markdown]
# # Longer codes for a database that is in use
# Five kinds of digits were hashed long ago. Five new kinds arrive. Old bits stay as they are; only what they leave
# unexplained is learned.

# %%
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import sibp

X, y = load_digits(return_X_y=True)
X, X_asked, y, y_asked = train_test_split(X, y, train_size=400, stratify=y, random_state=0)
old, new = y < 5, y >= 5

# %% [markdown]
# What is in production: 12 bits of spectral hashing, fitted to the old digits, and an index over them.

# %%
hash = sibp.SpectralHashing(n_bits=12).fit(X[old])
index = sibp.HammingIndex(hash.n_bits_)
index.add(hash.packed(X[old]), ids=np.flatnonzero(old))


def accuracy(index, codes):
    """Share of queries whose nearest stored object is of their class."""
    return np.mean(y[index.search(codes, 1)[1][:, 0]] == y_asked)


# %% [markdown]
# The new digits could simply be hashed as well:

# %%
plain = sibp.HammingIndex(hash.n_bits_)
plain.add(hash.packed(X))
before = accuracy(plain, hash.packed(X_asked))
print(f"{hash.n_bits_} old bits alone: {before:.3f}")

# %% [markdown]
# Or the old bits are given to a model, which adds bits until the triplets are explained.

# %%
given = hash.transform(X)
model = sibp.SuperProbitIBP(sweeps=60, per_object=20, random_state=0).fit(X, y, given_bits=given)
codes = model.transform(X, given_bits=given)
assert (codes[:, : hash.n_bits_] == given).all()
print(f"{model.n_bits_ - hash.n_bits_} bits were added")

# %% [markdown]
# The index in use gets the new bits of what it holds, then the new objects. No stored bit changes.

# %%
stored = index.packed
added = codes[index.ids][:, hash.n_bits_ :]
index.extend(np.packbits(added, axis=1), n_bits=added.shape[1])
assert (np.unpackbits(index.packed, axis=1)[:, : hash.n_bits_] == np.unpackbits(stored, axis=1)[:, : hash.n_bits_]).all()
index.add(np.packbits(codes[new], axis=1), ids=np.flatnonzero(new))

# %%
asked = model.packed(X_asked, given_bits=hash.transform(X_asked))
after = accuracy(index, asked)
print(f"old and new bits: {after:.3f}")
assert after > before
