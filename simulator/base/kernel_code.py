"""Compilation of each kernel to machine code exactly once.

By default, numba copies the code of all called functions into a kernel, recursively, and optimizes and compiles each copy again: the
suspension would be compiled six times between its links and the tick. Here

- an inline function is compiled only as part of the kernels that call it;
- a kernel calls the single machine code of another kernel. Small kernels are still copied, so that the compiler can inline them.

Compiled code outside Jounce that calls a kernel gets copies, as usual in numba.
"""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Callable, Iterable
from functools import cache, cached_property
from itertools import islice
from operator import attrgetter
from typing import Any, NamedTuple

from numba.core import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.registry import CPUDispatcher
from numba.core.targetconfig import TargetConfig

from simulator.base import short_arguments  # noqa: F401 (for its effect)

SMALL = 250
"""Maximum number of instructions of a kernel that is copied into its callers. LLVM inlines about 50. A larger limit compiles the same code
repeatedly, a smaller limit adds calls to hot loops."""

WRAPPERS = ("cfunc.", "_ZN7cpython")
"""Prefixes of the wrappers that numba adds to a kernel for calls from C and Python."""


def _short_mangling(named_tuple: Any) -> tuple[str, tuple[str, ...]]:
    """Return the class of a named tuple and a digest of its types, for the symbols of the kernels that take it.

    By default, each symbol contains the types of all fields: 58 kB for a record of the vehicle, 90 % of the cache.
    """
    digest = hashlib.sha256(named_tuple.name.encode()).hexdigest()[:16]
    return named_tuple.instance_class.__name__, (digest,)


for _named_tuple_type in (types.NamedTuple, types.NamedUniTuple):
    setattr(_named_tuple_type, "mangling_args", property(cache(_short_mangling)))  # noqa: B010 (read-only for mypy)


def _once_for_each(text_of: Callable[[types.Type], str]) -> Callable[[types.Type], str]:
    """Return a function that keeps its results. The text of a record is made ten thousand times by the passes of the compiler."""
    texts: dict[int, tuple[types.Type, str]] = {}

    def text(kind: types.Type) -> str:
        if id(kind) not in texts:
            texts[id(kind)] = kind, text_of(kind)
        return texts[id(kind)][1]

    return text


setattr(types.Record, "__repr__", _once_for_each(types.Record.__repr__))  # noqa: B010 (read-only for mypy)


FLAGS: Any = TargetConfig
"""Class of the compiler flags; its attributes are made by a metaclass."""


@cache
def _hash_of_names(kind: Any) -> int:
    return hash(tuple(sorted(kind.options)))


def _hash(flags: Any) -> int:
    kind: Any = type(flags)
    return _hash_of_names(kind)


def _are_equal(flags: Any, other: Any) -> bool:
    """Return whether two sets of compiler flags have the same values. By default, each comparison makes two dictionaries of all flags, and
    each hash, which is that of the names, one: a fifth of the time of a compilation."""
    if type(flags) is not type(other):
        return flags.values() == other.values() if isinstance(other, FLAGS) else NotImplemented
    one, two = flags._values, other._values
    default = {name: flags.options[name].default for name in one.keys() ^ two.keys()}
    return bool({**default, **one} == {**default, **two})


FLAGS.__hash__ = _hash
FLAGS.__eq__ = _are_equal


class Origin(NamedTuple):
    """Identity of a compiled kernel, valid in any process."""

    module: str
    name: str
    arguments: tuple[Any, ...]
    symbol: str
    """Symbol of the machine code, with a number from the process that compiled it."""

    def library(self) -> KernelLibrary | None:
        """Return the library of the kernel, loaded or compiled; None if the kernel does not exist or has another symbol."""
        dispatcher = dispatcher_at(self.module, self.name)
        if dispatcher is None:
            return None
        dispatcher.compile(self.arguments)
        compiled: Any = dispatcher.overloads[self.arguments]
        return compiled.library if compiled.fndesc.mangled_name == self.symbol else None


class KernelLibrary(JITCodeLibrary):
    """Code of one Jounce function, with the kernels that it calls in other libraries."""

    origin: Origin | None = None
    """Identity of a kernel that can be called from other libraries."""
    called: dict[KernelLibrary, None] = {}  # noqa: RUF012 (replaced, never changed)
    """Kernels called by this code, directly or through copied code."""

    def finalize(self) -> None:
        """Link the code of small kernels and inline functions, but not that of called kernels; then finalize as numba does."""
        called: dict[KernelLibrary, None] = {}
        others = []
        for library in dict.fromkeys(self._linking_libraries):
            if not isinstance(library, KernelLibrary):
                others.append(library)
            elif library.origin is not None and library.is_large():
                called[library] = None
            else:
                if hasattr(library, "_reload_init"):  # initialization of a C library; missing in older versions of numba
                    self._reload_init.update(library._reload_init)
                self._final_module.link_in(library.own_module(), preserve=True)
                called.update(library.called)
        self._linking_libraries = others
        self.called = called
        super().finalize()

    def _optimize_functions(self, ll_module: Any) -> None:
        """Optimize each function of a module as numba does, but with one pass manager, and not the declarations, which have no code."""
        ll_module.data_layout = self._codegen._data_layout
        passes, builder = self._codegen._function_pass_manager()
        for function in ll_module.functions:
            if not function.is_declaration:
                passes.run(function, builder)

    def is_large(self) -> bool:
        """Return True if the kernel is called, not copied."""
        functions = (one for one in self.own_module().functions if not one.name.startswith(WRAPPERS))
        instructions = (one for function in functions for block in function.blocks for one in block.instructions)
        return next(islice(instructions, SMALL, None), None) is not None

    def own_module(self) -> Any:
        """Return the code without called kernels, for other kernels of Jounce."""
        return super()._get_module_for_linking()

    def _get_module_for_linking(self) -> Any:
        """Return the code with all called kernels, for code outside Jounce, which cannot find them in another process."""
        if not self.called:
            return self.own_module()
        module = self.own_module().clone()
        for library in all_called(self):
            module.link_in(library.own_module(), preserve=True)
        return module

    def serialize_using_object_code(self) -> tuple[str, str, tuple[bytes, bytes]]:
        """Return the parts that are saved on disk."""
        self._ensure_finalized()
        return (self.name, "object", (self._get_compiled_object(), self.own_module().as_bitcode()))


def all_called(library: KernelLibrary) -> Iterable[KernelLibrary]:
    """Return all kernels that a kernel calls directly or indirectly, each once."""
    seen: dict[KernelLibrary, None] = {}
    waiting = list(library.called)
    while waiting:
        one = waiting.pop()
        if one not in seen:
            seen[one] = None
            waiting.extend(one.called)
    return seen


class InlineFunction(KernelLibrary):
    """Code of an inline function: optimized, but not compiled to machine code.

    Without this optimization, the first start is 5 s shorter, but the loop over the corners is not vectorized: 2.3 times the time.
    """

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


class KernelCompiler(Compiler):
    """Compiler of a kernel."""

    def compile_extra(self, func: Callable) -> Any:
        """Compile as numba does, into a `KernelLibrary`."""
        library = self.state.library = KernelLibrary(self.state.targetctx.codegen(), func.__qualname__)
        library.enable_object_caching()
        compiled = super().compile_extra(func)
        library.origin = origin_of(func, compiled)
        return compiled


class PlainTypes(CPUDispatcher):
    """Dispatcher of a function that is not compiled again for the value of a number, such as 0 or True. A text may be the name of a field."""

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Return the template of a call in another kernel, and the types of its arguments."""
        return super().get_call_template(tuple(map(_plain, args)), {key: _plain(kind) for key, kind in kws.items()})


def _plain(kind: types.Type) -> types.Type:
    return kind if isinstance(kind, types.StringLiteral) else types.unliteral(kind)


class KernelDispatcher(PlainTypes):
    """Dispatcher of a kernel."""


def dispatcher_at(module: str, name: str) -> KernelDispatcher | None:
    """Return the kernel of a name in a module, or None."""
    try:
        found = attrgetter(name)(importlib.import_module(module))
    except (ImportError, AttributeError):
        return None
    return found if type(found) is KernelDispatcher else None


def origin_of(function: Callable, compiled: Any) -> Origin | None:
    """Return the identity of a kernel; None if other processes cannot find it by name."""
    dispatcher = dispatcher_at(function.__module__, function.__qualname__)
    if function.__module__ == "__main__" or dispatcher is None or dispatcher.py_func is not function:
        return None
    return Origin(function.__module__, function.__qualname__, tuple(compiled.signature.args), compiled.fndesc.mangled_name)


class InlineCompiler(Compiler):
    """Compiler of an inline function, without machine code."""

    def compile_extra(self, func: Callable) -> Any:
        """Compile as numba does, without the wrappers for Python and C."""
        self.state.library = InlineFunction(self.state.targetctx.codegen(), func.__qualname__)
        flags = self.state.flags
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        compiled = super().compile_extra(func)
        entry = object()  # key by which calls in kernels find the function
        self.state.targetctx.insert_user_function(entry, compiled.fndesc, [compiled.library])
        return compiled._replace(entry_point=entry)


class InlineDispatcher(PlainTypes):
    """Dispatcher of an inline function. A call from Python runs the function as a kernel.

    Parameters
    ----------
    as_kernel : decorator that makes the kernel, at the first call from Python
    """

    def __init__(self, function: Callable, *, as_kernel: Callable[[Callable], Callable], **settings: Any) -> None:
        super().__init__(function, **settings)
        self._decorator = as_kernel

    @cached_property
    def as_kernel(self) -> Callable[..., Any]:
        """The function as a kernel."""
        return self._decorator(self.py_func)

    def add_overload(self, cres: Any) -> None:
        """Store a compiled version for kernels."""
        self.overloads[tuple(cres.signature.args)] = cres

    def __call__(self, *arguments: Any) -> Any:
        """Call the function as a kernel."""
        return self.as_kernel(*arguments)
