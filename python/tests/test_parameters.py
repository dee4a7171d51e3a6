"""Constructors, checks and documentation against the one table of parameters."""

import inspect
import re
import typing

import pandas as pd

import sibp
from common import TestCase, blobs, estimators
from sibp import _table

NAMES = [type(estimator).__name__ for estimator in estimators()]


def section(thing, title):
    """(Name, kind) of every entry in a section of a docstring."""
    found = re.search(rf"^{title}\n-+\n(.*?)(?:\n\n|\Z)", inspect.getdoc(thing), re.MULTILINE | re.DOTALL)
    return re.findall(r"^(\w+) : (.*)$", found[1], re.MULTILINE)


class Parameters(TestCase):
    def test_the_table_names_every_estimator_and_no_parameter_twice(self):
        # Codes that grew are made by `extend`, not by users.
        public = [name for name in sibp.__all__ if hasattr(getattr(sibp, name), "get_params") and name != "ExtendedCodes"]
        self.assertEqual(sorted(public), sorted(NAMES))
        self.assertEqual(sorted(_table.ALL), sorted(NAMES))
        for rows in (_table.PARAMETERS, _table.ATTRIBUTES):
            pairs = [(name, row.name) for row in rows for name in row.of]
            self.assertEqual(len(pairs), len(set(pairs)))
            self.assertEqual({name for name, _ in pairs} - {"triplets_from_labels"}, set(NAMES))

    def test_constructors_are_those_of_the_table(self):
        for name in NAMES:
            with self.subTest(name):
                signature = inspect.signature(getattr(sibp, name))
                found = [(parameter.name, parameter.default) for parameter in signature.parameters.values()]
                table = [(parameter.name, parameter.default) for parameter in _table.parameters_of(name).values()]
                self.assertEqual(found, table)
                # Only what says which codes are meant may be given without its name.
                kinds = {parameter.name for parameter in signature.parameters.values() if parameter.kind.value != 3}
                self.assertEqual(kinds, {"preset", "n_bits"} & {parameter for parameter, _ in table})

    def test_every_argument_is_kept_as_it_was_given(self):
        for name in NAMES:
            given = {parameter: object() for parameter in _table.parameters_of(name)}
            estimator = getattr(sibp, name)(**given)
            self.assertEqual(vars(estimator), given)
            self.assertEqual(estimator.get_params(), given)

    def test_types_allow_the_default(self):
        for name in NAMES:
            estimator = getattr(sibp, name)
            constructor = typing.get_type_hints(estimator.__init__)
            attributes = typing.get_type_hints(estimator, localns={"arviz": None})
            for parameter in _table.parameters_of(name).values():
                with self.subTest(name, parameter=parameter.name):
                    hint = constructor[parameter.name]
                    self.assertEqual(attributes[parameter.name], hint)
                    says_none = parameter.kind.endswith((", optional", " or None"))
                    self.assertEqual(says_none, parameter.default is None)
                    if hint is not typing.Any:
                        kinds = typing.get_args(hint) or (hint,)
                        self.assertIn(type(parameter.default), kinds)
                        self.assertEqual(type(None) in kinds, parameter.default is None)

    def test_triplets_from_labels_has_the_defaults_of_the_models(self):
        table = _table.parameters_of("triplets_from_labels")
        found = inspect.signature(sibp.triplets_from_labels).parameters
        self.assertEqual(list(found), ["y", "X", *table])
        self.assertEqual([found[name].default for name in table], [row.default for row in table.values()])

    def test_words_of_the_table_are_those_that_are_taken(self):
        X, y = blobs(per_class=3)
        for name in NAMES:
            for parameter in _table.parameters_of(name).values():
                words = re.findall(r'"([^"]+)"', parameter.kind)
                if not words:
                    continue
                with self.subTest(name, parameter=parameter.name):
                    few = {"sweeps": 1, "chains": 1, "draws": 1}
                    estimator = getattr(sibp, name)(**few, **{parameter.name: "no such word"})
                    with self.assertRaises(ValueError) as refused:
                        estimator.fit(X, y)
                    self.assertTrue(str(refused.exception).endswith("; choose among " + ", ".join(words)))


class Documentation(TestCase):
    def test_docstrings_list_what_the_table_has(self):
        for name in NAMES:
            with self.subTest(name):
                estimator = getattr(sibp, name)
                listed = section(estimator, "Parameters")
                self.assertEqual([entry for entry, _ in listed], list(_table.parameters_of(name)))
                for entry, kind in listed:
                    parameter = _table.parameters_of(name)[entry]
                    shown = "" if parameter.default is None else f", default={parameter.default}"
                    self.assertEqual(kind.replace('"', ""), (parameter.kind + shown).replace('"', ""))
                listed = [entry for entry, _ in section(estimator, "Attributes")]
                self.assertEqual(listed, list(_table.attributes_of(name)))
                self.assertNotIn("{parameters}", estimator.__doc__)
                self.assertNotIn("{attributes}", estimator.__doc__)
        listed = [entry for entry, _ in section(sibp.triplets_from_labels, "Parameters")]
        self.assertEqual(listed, list(inspect.signature(sibp.triplets_from_labels).parameters))

    def test_fitted_estimators_have_the_attributes(self):
        X, y = blobs()
        X = pd.DataFrame(X, columns=["a", "b", "c", "d"])
        for estimator in estimators():
            name = type(estimator).__name__
            estimator.fit(X, y)
            for attribute in _table.attributes_of(name):
                self.assertTrue(hasattr(estimator, attribute), f"{name}.{attribute}")
