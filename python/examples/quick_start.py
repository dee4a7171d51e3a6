# %% [markdown]
# # Quick start: short codes for handwritten digits
# Fit on 300 digits, encode and search the rest. Run it as a script, or open it as a notebook: cells begin with `# %%`.

# %%
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import sibp
from sibp.plot import plot_codes, plot_retrieval, plot_trace

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, train_size=300, stratify=y, random_state=0)

# %% [markdown]
# Labels become triplets ("this digit is more like that one than like the other"), and triplets become bits. Nobody
# says how many bits there are.

# %%
model = sibp.SuperProbitIBP(sweeps=100, per_object=20, random_state=0, verbose=1).fit(X_train, y_train)
print(f"{model.n_bits_} bits; labels of {len(X_test)} unseen digits by their neighbours: {model.score(X_test, y_test):.3f}")

# %% [markdown]
# Codes are 0 and 1, or packed bytes for an index. Search is exact.

# %%
codes = model.transform(X_test)
distances, ids = model.index(X_train).kneighbors(X_test[:3], n_neighbors=5)
for digit, found, bits in zip(y_test[:3], y_train[ids], distances, strict=True):
    print(f"a {digit}: neighbours are {found.tolist()}, {bits.tolist()} bits away")

# %% [markdown]
# Beside codes that have never seen a label, at the same length:

# %%
figure, axes = plt.subplots(1, 3, figsize=(14, 4))
plot_codes(model.codes_, y_train, ax=axes[0])
plot_trace(model, ["n_bits"], axes=[axes[1]])
others = sibp.LSH(n_bits=model.n_bits_, random_state=0).fit(X_train)
shares = {}
for name, encoder in (("Super Probit", model), ("random hyperplanes", others)):
    plot_retrieval(
        encoder.transform(X_train), y_train, encoder.transform(X_test), y_test, most=30, label=name, ax=axes[2]
    )
    _, ids = encoder.index(X_train).kneighbors(X_test, n_neighbors=30)
    shares[name] = np.mean(y_train[ids] == y_test[:, None])
    print(f"{name}: {shares[name]:.3f} of the 30 nearest are the same digit")
assert shares["Super Probit"] > shares["random hyperplanes"]
figure.tight_layout()
figure.savefig("quick_start.png")

# %% [markdown]
# The file is the command's: `sibp inspect digits.sibp` reads it, and `sibp.load` reads the command's.

# %%
model.save("digits.sibp")
assert (sibp.load("digits.sibp").transform(X_test) == codes).all()
