"""faiss reads our codes, and finds what we find."""

import faiss
import numpy as np

import sibp
from common import TestCase, blobs


class Faiss(TestCase):
    def test_packed_codes_go_straight_in(self):
        X, _ = blobs(3, 100)
        # A width of whole bytes, which is all that faiss takes.
        codes = sibp.LSH(n_bits=32, random_state=0).fit(X).packed(X)
        theirs = faiss.IndexBinaryFlat(32)
        theirs.add(codes)
        ours = sibp.HammingIndex(32)
        ours.add(codes)
        distances, _ = ours.search(codes[:20], 10)
        self.equal(theirs.search(codes[:20], 10)[0], distances)

    def test_codes_of_any_width_are_padded_with_zeros(self):
        X, y = blobs()
        model = sibp.SuperProbitIBP(sweeps=20, per_object=5, random_state=0).fit(X, y)
        codes = model.packed(X)
        theirs = faiss.IndexBinaryFlat(8 * codes.shape[1])
        theirs.add(codes)
        found = theirs.search(codes[:10], 60)
        distances, _ = model.index(X).kneighbors(X[:10], n_neighbors=60)
        self.equal(found[0], distances)

    def test_an_index_goes_out_through_the_command(self):
        codes = np.random.default_rng(0).integers(0, 256, size=(50, 4), dtype=np.uint8)
        index = sibp.HammingIndex(32)
        index.add(codes)
        index.save(self.folder / "codes.sibx")
        self.command("export", "codes.sibx", "--to", "faiss", "-o", "codes.faiss")
        theirs = faiss.read_index_binary(str(self.folder / "codes.faiss"))
        self.equal(theirs.search(codes, 5)[0], index.search(codes, 5)[0])
