"""Makes small files for jobs: a part of the shipped digits, points around centres, codes, triplets, all from fixed seeds."""

import random
import struct
from pathlib import Path


def write_npy(path, descr, shape, data):
    """An npy file of the bytes `data`."""
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)


def write_floats(path, rows):
    values = [value for row in rows for value in row]
    write_npy(path, "<f8", (len(rows), len(rows[0])), struct.pack(f"<{len(values)}d", *values))


def write_integers(path, values):
    write_npy(path, "<i8", (len(values),), struct.pack(f"<{len(values)}q", *values))


def write_bytes(path, rows):
    write_npy(path, "|u1", (len(rows), len(rows[0])), b"".join(map(bytes, rows)))


def write_lines(path, lines):
    path.write_text("".join(f"{line}\n" for line in lines))


def read_bytes(path, n_columns):
    """Rows of an npy file of uint8, whose shape is known."""
    file = path.read_bytes()
    start = 10 + struct.unpack("<H", file[8:10])[0]
    if b"'|u1'" not in file[:start]:
        raise ValueError(f"{path} is no array of uint8")
    return [file[at : at + n_columns] for at in range(start, len(file), n_columns)]


def packed(rows):
    """Rows of bits as numpy's packbits packs them."""
    width = -(-len(rows[0]) // 8)
    numbers = (int("".join(map(str, row)).ljust(8 * width, "0"), 2) for row in rows)
    return [number.to_bytes(width, "big") for number in numbers]


def given_bits(labels, rng):
    """Three bits an object: two that its label tells, with one mistake in ten, and one that says nothing."""
    return [[(y & 1) ^ (rng.random() < 0.1), int(y > 4) ^ (rng.random() < 0.1), rng.randrange(2)] for y in labels]


def triplets(labels, n, rng):
    """`n` triplets whose near object has the anchor's label and whose far object has not."""
    found = []
    while len(found) < n:
        a, b, c = (rng.randrange(len(labels)) for _ in range(3))
        if a != b and labels[a] == labels[b] != labels[c]:
            found.append((a, b, c))
    return found


def digits(folder, shipped):
    """x, y: 100 digits to learn from; q, yq: 40 others; given bits h, hq, and packed hp; triplets; ids; a split."""
    rng = random.Random(1)
    inputs, labels = read_bytes(shipped / "features.npy", 64), read_bytes(shipped / "labels.npy", 1)
    parts = {"": range(100), "q": range(500, 540)}
    for name, rows in parts.items():
        of = [labels[row][0] for row in rows]
        bits = given_bits(of, rng)
        write_bytes(folder / f"{name or 'x'}.npy", [inputs[row] for row in rows])
        write_integers(folder / f"y{name}.npy", of)
        write_bytes(folder / f"h{name}.npy", bits)
        write_bytes(folder / f"h{name}p.npy", packed(bits))
        for file, n in ((f"t{name}.csv", 300), (f"ask{name}.csv", 30)):
            write_lines(folder / file, ["anchor,near,far", *(f"{a},{b},{c}" for a, b, c in triplets(of, n, rng))])
        lines = [f"digit-{row},{labels[row][0]}," + ",".join(map(str, inputs[row][8:24])) for row in rows]
        write_lines(folder / f"{name or 'x'}.csv", ["name,class," + ",".join(f"p{at}" for at in range(16)), *lines])
        write_lines(folder / f"ids{name}.txt", [f"digit-{row}" for row in rows])
    named = [f"digit-{a},digit-{b},digit-{c}" for a, b, c in triplets([row[0] for row in labels[:100]], 200, rng)]
    write_lines(folder / "tnamed.csv", ["anchor,near,far", *named])
    roles = [f"{repeat},{'train' if (row + repeat) % 3 else 'test'},{row}" for repeat in (0, 1) for row in range(100)]
    write_lines(folder / "split.csv", ["repeat,role,row", *roles])


def points(folder):
    """few, s, many: 36 or 90 points of 3 classes, 5000 of 5, more than one part of parallel sums; labels yfew, ys, ymany."""
    rng = random.Random(2)
    for name, n, n_inputs, n_classes in (("few", 36, 5, 3), ("s", 90, 6, 3), ("many", 5000, 8, 5)):
        centres = [[rng.uniform(-2, 2) for _ in range(n_inputs)] for _ in range(n_classes)]
        labels = [row % n_classes for row in range(n)]
        write_floats(folder / f"{name}.npy", [[centre + rng.gauss(0, 0.7) for centre in centres[y]] for y in labels])
        write_integers(folder / f"y{name}.npy", labels)


def codes(folder):
    """codes, more: 900 and 50 packed codes of 3 bytes; queries; wider: 2 bytes more for codes; ids; some of them."""
    rng = random.Random(3)
    pool = [rng.randbytes(3) for _ in range(300)]
    for name, n in (("codes", 900), ("more", 50), ("queries", 20)):
        write_bytes(folder / f"{name}.npy", [rng.choice(pool) for _ in range(n)])
    write_bytes(folder / "wider.npy", [rng.randbytes(2) for _ in range(900)])
    numbers = rng.sample(range(10_000), 900)
    write_lines(folder / "numbers.txt", numbers)
    write_lines(folder / "some.txt", numbers[::7])
    write_lines(folder / "rows.txt", range(0, 900, 11))
    write_lines(folder / "votes.txt", [rng.choice("abc") for _ in range(900)])


def make(folder, shipped):
    """All of it; `shipped` is the folder data/digits."""
    folder, shipped = Path(folder), Path(shipped)
    folder.mkdir(parents=True, exist_ok=True)
    digits(folder, shipped)
    points(folder)
    codes(folder)
