"""The stub of the native module names what is there, and nothing else."""

import ast
import pathlib

import ocoboost._core as core


def test_the_stub_names_what_is_there():
    stub = pathlib.Path(core.__file__).with_name("_core.pyi").read_text(encoding="utf-8")
    for node in ast.parse(stub).body:
        if isinstance(node, ast.FunctionDef):
            assert callable(getattr(core, node.name))
        if isinstance(node, ast.ClassDef):
            own = getattr(core, node.name)
            stated = {one.name for one in node.body if isinstance(one, ast.FunctionDef)}
            there = {name for name in vars(own) if not name.startswith("_") or name in ("__len__", "__new__", "__iter__", "__next__")}
            assert stated - {"__new__"} == there - {"__new__"}, node.name
