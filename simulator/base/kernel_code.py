"""How a kernel becomes machine code: once.

Left to itself numba copies the code of every function that a kernel calls into the kernel, and theirs into those, and has each copy
optimised and made into machine code again: the suspension would be compiled six times on the way from its links to the tick. Here

- an inline function is never made into machine code on its own, only as part of the kernels that it is in;
- a kernel that calls another one calls it, at the place where its one code lies. Small ones are copied all the same, so that the
  compiler may let them vanish in their callers.

Whoever else calls our kernels from compiled code of theirs gets copies, as numba has it.
"""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Callable, Iterable
from functools import cache
from itertools import islice
from operator import attrgetter
from typing import Any, NamedTuple

from numba.core import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.registry import CPUDispatcher

SMALL = 250
"""Instructions up to which a kernel is copied into its callers. LLVM lets about fifty vanish; larger: the same code is compiled again and
again, smaller: calls in hot loops that were none."""

WAYS_IN = ("cfunc.", "_ZN7cpython")
"""Beginnings of the names of what numba adds to a kernel, so that C and Python may call it."""


def _short_mangling(named_tuple: Any) -> tuple[str, tuple[str, ...]]:
    """Return the class of a named tuple and a digest of its types, for the symbols of the kernels that take it.

    Numba writes the types of all fields into each symbol: 58 kB for a record of the vehicle, and nine tenths of the cache.
    """
    digest = hashlib.sha256(named_tuple.name.encode()).hexdigest()[:16]
    return named_tuple.instance_class.__name__, (digest,)


for _named_tuple_type in (types.NamedTuple, types.NamedUniTuple):
    setattr(_named_tuple_type, "mangling_args", property(cache(_short_mangling)))  # noqa: B010 (read-only for mypy)


class Origin(NamedTuple):
    """Where to find a compiled kernel again in another process."""

    module: str
    name: str
    arguments: tuple[Any, ...]
    symbol: str
    """Name of its machine code, with a number from the process that compiled it."""

    def library(self) -> KernelLibrary | None:
        """Its library, loaded from the disk or compiled; None when it is not found, or what is found now has another name."""
        dispatcher = dispatcher_at(self.module, self.name)
        if dispatcher is None:
            return None
        dispatcher.compile(self.arguments)
        compiled: Any = dispatcher.overloads[self.arguments]
        return compiled.library if compiled.fndesc.mangled_name == self.symbol else None


class KernelLibrary(JITCodeLibrary):
    """Code of one function of ours, with what it calls that lies elsewhere."""

    origin: Origin | None = None
    """Of a kernel that may be called where it lies."""
    called: dict[KernelLibrary, None] = {}  # noqa: RUF012 (replaced, never changed)
    """The kernels called by this code, directly or through what is copied into it."""

    def finalize(self) -> None:
        """Copy in what is to be a part of this, leave out what is called, then as numba does."""
        called: dict[KernelLibrary, None] = {}
        theirs = []
        for library in dict.fromkeys(self._linking_libraries):
            if not isinstance(library, KernelLibrary):
                theirs.append(library)
            elif library.origin is not None and library.is_large():
                called[library] = None
            else:
                if hasattr(library, "_reload_init"):  # of a C library that has to be made ready again; older numbas have none
                    self._reload_init.update(library._reload_init)
                self._final_module.link_in(library.own_module(), preserve=True)
                called.update(library.called)
        self._linking_libraries = theirs
        self.called = called
        super().finalize()

    def is_large(self) -> bool:
        """Whether this is called where it lies rather than copied."""
        functions = (one for one in self.own_module().functions if not one.name.startswith(WAYS_IN))
        instructions = (one for function in functions for block in function.blocks for one in block.instructions)
        return next(islice(instructions, SMALL, None), None) is not None

    def own_module(self) -> Any:
        """The code without what it calls, for one of ours."""
        return super()._get_module_for_linking()

    def _get_module_for_linking(self) -> Any:
        """The code with all that it calls, for others, who would not find it in another process."""
        if not self.called:
            return self.own_module()
        whole = self.own_module().clone()
        for library in every_call(self):
            whole.link_in(library.own_module(), preserve=True)
        return whole

    def serialize_using_object_code(self) -> tuple[str, str, tuple[bytes, bytes]]:
        """What goes to the disk."""
        self._ensure_finalized()
        return (self.name, "object", (self._get_compiled_object(), self.own_module().as_bitcode()))


def every_call(library: KernelLibrary) -> Iterable[KernelLibrary]:
    """All kernels below a kernel, each once."""
    seen: dict[KernelLibrary, None] = {}
    waiting = list(library.called)
    while waiting:
        one = waiting.pop()
        if one not in seen:
            seen[one] = None
            waiting.extend(one.called)
    return seen


class InlineFunction(KernelLibrary):
    """Code of an inline function; optimised, but no machine code is made of it."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


class KernelCompiler(Compiler):
    """Compiles a kernel."""

    def compile_extra(self, func: Callable) -> Any:
        """As numba does, into a library of ours."""
        library = self.state.library = KernelLibrary(self.state.targetctx.codegen(), func.__qualname__)
        library.enable_object_caching()
        compiled = super().compile_extra(func)
        library.origin = origin_of(func, compiled)
        return compiled


def dispatcher_at(module: str, name: str) -> CPUDispatcher | None:
    """The kernel of this name, if there is one."""
    try:
        found = attrgetter(name)(importlib.import_module(module))
    except (ImportError, AttributeError):
        return None
    return found if type(found) is CPUDispatcher else None


def origin_of(function: Callable, compiled: Any) -> Origin | None:
    """Where to find a kernel in another process; None where it has no name there."""
    dispatcher = dispatcher_at(function.__module__, function.__qualname__)
    if function.__module__ == "__main__" or dispatcher is None or dispatcher.py_func is not function:
        return None
    return Origin(function.__module__, function.__qualname__, tuple(compiled.signature.args), compiled.fndesc.mangled_name)


class InlineCompiler(Compiler):
    """Compiles an inline function as far as kernels need it."""

    def compile_extra(self, func: Callable) -> Any:
        """As numba does, without the ways in from Python."""
        self.state.library = InlineFunction(self.state.targetctx.codegen(), func.__qualname__)
        flags = self.state.flags
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        compiled = super().compile_extra(func)
        entry = object()  # by which the kernels' calls find it
        self.state.targetctx.insert_user_function(entry, compiled.fndesc, [compiled.library])
        return compiled._replace(entry_point=entry)


class InlineDispatcher(CPUDispatcher):
    """An inline function. Called from Python it is compiled once more, as a kernel."""

    as_kernel: Callable[..., Any]

    def add_overload(self, cres: Any) -> None:
        """Keep what was compiled, for kernels only."""
        self.overloads[tuple(cres.signature.args)] = cres

    def __call__(self, *arguments: Any) -> Any:
        """Call it as a kernel."""
        return self.as_kernel(*arguments)
