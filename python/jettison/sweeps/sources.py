"""Digest of a queue discipline written in Python, over everything that affects its behaviour.

The digest covers its source and its module's, captured variables, defaults, and the globals that it reads, which a notebook
can change silently. Objects of Python itself or of installed packages are identified by name.
"""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
# A notebook may contain any objects.
from __future__ import annotations

import functools
import hashlib
import inspect
import pickle
import secrets
import sys
import types
from collections.abc import Iterable
from typing import Any

_PLAIN = (type(None), bool, int, float, complex, str, bytes, type(Ellipsis))

_METHODS = (types.FunctionType, staticmethod, classmethod, property)


def source_digest(factory: Any) -> str:
    """The digest. Objects without stable contents (such as an open file) make it unique, so its runs are never reused."""
    walk = _Walk()
    walk.add(factory)
    return walk.digest.hexdigest()


class _Walk:
    """Traversal of everything that a value consists of, each object once."""

    def __init__(self) -> None:
        self.digest = hashlib.sha256()
        self._seen: dict[int, tuple[int, Any]] = {}

    def _say(self, *words: object) -> None:
        for word in words:
            data = str(word).encode(errors="surrogatepass")
            # The length prefix delimits the parts unambiguously.
            self.digest.update(f"{len(data)}\n".encode() + data)

    def add(self, value: Any) -> None:
        """Adds a value and its parts."""
        if isinstance(value, _PLAIN):
            self._say(type(value).__name__, repr(value))
        elif id(value) in self._seen:
            self._say("again", self._seen[id(value)][0])
        else:
            self._seen[id(value)] = (len(self._seen), value)  # a reference keeps the id unique
            self._made_of(value)

    def _made_of(self, value: Any) -> None:
        if isinstance(value, (tuple, list)):
            self._say(type(value).__name__, len(value))
            self._each(value)
        elif isinstance(value, (set, frozenset)):
            self._say(type(value).__name__, *sorted(source_digest(each) for each in value))
        elif type(value) is dict:
            self._say("dict", len(value))
            self._each(part for item in value.items() for part in item)
        elif isinstance(value, functools.partial):
            self._say("partial")
            self._each((value.func, value.args, value.keywords))
        elif isinstance(value, types.ModuleType):
            self._module(value)
        elif isinstance(value, types.MethodType):
            self._say("method")
            self._each((value.__func__, value.__self__))
        elif isinstance(value, (staticmethod, classmethod)):
            self._say(type(value).__name__)
            self.add(value.__func__)
        elif isinstance(value, property):
            self._say("property")
            self._each((value.fget, value.fset, value.fdel))
        elif isinstance(value, functools.cached_property):
            self._say("property")
            self.add(value.func)
        elif isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType)):
            self._named(value)
        else:
            self._object(value)

    def _each(self, values: Iterable[Any]) -> None:
        for value in values:
            self.add(value)

    def _module(self, module: types.ModuleType) -> None:
        self._say("module", module.__name__)
        if _is_own(module.__name__) and module.__name__ != "__main__":
            self._source(module)

    def _named(self, value: Any) -> None:
        module, name = str(getattr(value, "__module__", "")), str(getattr(value, "__qualname__", ""))
        self._say(type(value).__name__, name)
        if not _is_own(module):
            self._say("of", module)
            return
        self._source(value)
        # For scripts and notebooks, only used parts count: others may change without effect.
        if module != "__main__" and (found := sys.modules.get(module)) is not None:
            self.add(found)
        if isinstance(value, type):
            self._each(value.__bases__)
            for attribute, inner in sorted(vars(value).items()):
                # Entries that Python itself maintains (`__slotnames__`) come and go.
                if attribute != "_abc_impl" and (not attribute.startswith("__") or isinstance(inner, _METHODS)):
                    self._say(attribute)
                    self._member(inner)
        elif isinstance(value, types.FunctionType):
            self._each((value.__defaults__, value.__kwdefaults__))
            for cell in value.__closure__ or ():
                try:
                    self.add(cell.cell_contents)
                except ValueError:
                    self._say("empty")
            for global_name in sorted(_names(value.__code__)):
                if global_name in value.__globals__:
                    self._say(global_name)
                    self.add(value.__globals__[global_name])

    def _member(self, value: Any) -> None:
        # Slots and the like are derived from the source, which is included already.
        if not isinstance(value, (types.MemberDescriptorType, types.GetSetDescriptorType)):
            self.add(value)

    def _source(self, value: Any) -> None:
        try:
            self._say(inspect.getsource(value))
        except (OSError, TypeError):
            self._say("no source")
        # Include the code: two functions may share a line, and code typed at a prompt has no
        # source.
        if isinstance(value, types.FunctionType):
            self._code(value.__code__)

    def _code(self, code: types.CodeType) -> None:
        self._say(code.co_code.hex(), *code.co_names)
        for const in code.co_consts:
            if isinstance(const, types.CodeType):
                self._code(const)
            elif isinstance(const, _PLAIN):
                self.add(const)

    def _object(self, value: Any) -> None:
        self._say("object")
        self.add(type(value))
        if (wrapped := getattr(value, "__wrapped__", None)) is not None:
            self.add(wrapped)
        try:
            self._say(hashlib.sha256(pickle.dumps(value, protocol=4)).hexdigest())
        except Exception:
            self._say(secrets.token_hex())


def _names(code: types.CodeType) -> set[str]:
    """The global names that a function and its inner functions use."""
    inner = (const for const in code.co_consts if isinstance(const, types.CodeType))
    return set(code.co_names).union(*(_names(each) for each in inner))


@functools.cache
def _is_own(module: str) -> bool:
    """Whether a module is neither Python's, nor an installed package's, nor ours, and so may change."""
    top = module.partition(".")[0]
    if top == "__main__" or not top:
        return True
    if top in sys.stdlib_module_names or top == "jettison":
        return False
    file = getattr(sys.modules.get(module), "__file__", None) or ""
    return "site-packages" not in file and "dist-packages" not in file
