# %% [markdown]
# # Codes from people's judgements
# People are bad at numbers and good at "this is more like that one than like the other". Here imagined people
# judge digits by their shape and press the wrong key now and then; one of them does not even look. Nobody names a digit.

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
# What goes on in their heads is hidden from the model: four directions of shape. Three people take
# turns: the first slips once in twenty answers, the second once in ten, and the third presses any key.

# %%
N_ANSWERS, SLIPS = 6000, np.array([0.05, 0.1, 0.5])
judge = np.arange(N_ANSWERS) % 3
mind = PCA(4).fit_transform(X)
anchor, one, other = rng.permuted(np.tile(np.arange(len(X)), (N_ANSWERS, 1)), axis=1)[:, :3].T
nearer = np.linalg.norm(mind[anchor] - mind[one], axis=1) < np.linalg.norm(mind[anchor] - mind[other], axis=1)
said = nearer ^ (rng.random(N_ANSWERS) < SLIPS[judge])
triplets = np.stack([anchor, np.where(said, one, other), np.where(said, other, one)], axis=1)
seen, unseen = np.arange(N_ANSWERS) < 5000, (np.arange(N_ANSWERS) >= 5000) & (judge < 2)

# %% [markdown]
# Where triplets teach, one code stands for many short chains; here fewer and shorter ones do. The file format for
# judgements, which the command reads too, has a column for who it was beside anchor, near and far.

# %%
table = np.column_stack([triplets, judge])[seen]
np.savetxt("judgements.csv", table, "%d", ",", header="anchor,near,far,judge", comments="")
model = sibp.SuperProbitIBP(sweeps=60, chains=4, random_state=0).fit(X, triplets=triplets[seen], judges=judge[seen])
lapses = model.judge_lapses_
print("share of answers at random:", {name: round(lapse, 2) for name, lapse in lapses.items()})
assert max(lapses, key=lapses.get) == 2

# %% [markdown]
# How far the codes agree with answers that they have not seen, of those who look:

# %%
agreement = model.score_triplets(X, triplets[unseen])
print(f"{model.n_bits_} bits agree with {agreement:.3f} of {unseen.sum()} unseen answers")
print(f"those who never slip would agree with {np.mean(said[unseen] == nearer[unseen]):.3f}")

# %% [markdown]
# Probabilities are more honest than yes and no: where the model is sure, people agree more often.

# %%
probability = model.predict_preference(*(X[triplets[unseen, role]] for role in range(3)))
sure = np.abs(probability - 0.5) > np.median(np.abs(probability - 0.5))
right = probability > 0.5
print(f"agreement where it is sure: {right[sure].mean():.3f}; where it is not: {right[~sure].mean():.3f}")
assert agreement > 0.7
assert right[sure].mean() > right[~sure].mean()
