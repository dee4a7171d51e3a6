# %% [markdown]
# # Codes from people's judgements
# People are bad at numbers and good at "this is more like that one than like the other". Here imagined people
# judge digits by their shape and press the wrong key now and then; nobody names a digit.

# %%
import numpy as np
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA

import sibp

rng = np.random.default_rng(0)
X, digit = load_digits(return_X_y=True)
rows = rng.choice(len(X), size=120, replace=False)
X, digit = X[rows], digit[rows]

# %% [markdown]
# What goes on in their heads is hidden from the model: four directions of shape. One answer in ten is a slip.

# %%
N_ANSWERS, SLIPS = 6000, 0.1
mind = PCA(4).fit_transform(X)
anchor, one, other = rng.permuted(np.tile(np.arange(len(X)), (N_ANSWERS, 1)), axis=1)[:, :3].T
nearer = np.linalg.norm(mind[anchor] - mind[one], axis=1) < np.linalg.norm(mind[anchor] - mind[other], axis=1)
said = nearer ^ (rng.random(N_ANSWERS) < SLIPS)
triplets = np.stack([anchor, np.where(said, one, other), np.where(said, other, one)], axis=1)
seen, unseen = triplets[:5000], triplets[5000:]

# %% [markdown]
# Four chains side by side give longer codes whose distance is their average. The file format for judgements, which the
# command reads too, is three columns: anchor, near, far.

# %%
np.savetxt("judgements.csv", seen, "%d", ",", header="anchor,near,far", comments="")
model = sibp.SuperProbitIBP(sweeps=60, chains=4, code="concatenate", random_state=0).fit(X, triplets=seen)
agreement = model.score_triplets(X, unseen)
print(f"{model.n_bits_} bits agree with {agreement:.3f} of {len(unseen)} unseen answers")
print(f"those who never slip would agree with {np.mean(said[5000:] == nearer[5000:]):.3f}")

# %% [markdown]
# Probabilities are more honest than yes and no: where the model is sure, people agree more often.

# %%
probability = model.predict_preference(X[unseen[:, 0]], X[unseen[:, 1]], X[unseen[:, 2]])
sure = np.abs(probability - 0.5) > np.median(np.abs(probability - 0.5))
right = probability > 0.5
print(f"agreement where it is sure: {right[sure].mean():.3f}; where it is not: {right[~sure].mean():.3f}")
assert agreement > 0.7
assert right[sure].mean() > right[~sure].mean()
