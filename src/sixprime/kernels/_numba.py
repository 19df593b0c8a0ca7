"""How Numba is taught about kernels and blocks, and what it compiles. Only this and `hyper_build` import it.

* A `Kernel` among the globals of a kernel is a function that Numba may call, or inline.
* A block is one word in compiled code; its fields are read where they lie. What a block says never changes while it is
  in use (the arrays it names do), so such reads are marked as invariant and LLVM moves them out of loops.
* `compile_group` puts all entries of a group into one object file: nested kernels are not optimised one by one as Numba
  does for functions that are called from Python, but once, all together.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import logging
import operator
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from llvmlite import binding, ir
from numba.core import callconv, cgutils, codegen, cpu, types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.imputils import lower_builtin, lower_getattr_generic
from numba.core.types.misc import VarArg, unliteral
from numba.core.typing import signature as signature_of
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_getattr, infer_global
from numba.extending import NativeValue, intrinsic, models, register_model, type_callable, typeof_impl, unbox
from numba.np import arrayobj
from numba.np.arrayobj import make_array, populate_array

from sixprime.kernels import _bits, _objects, _vectors
from sixprime.kernels._block import Block, Kind, Layout, fields_of, width
from sixprime.kernels._jit import ENTRIES, Entry, Kernel
from sixprime.kernels._shipped import PACKAGE
from sixprime.lazy import uncollected
from sixprime.progress import Hook, Progress

_WORD = ir.IntType(64)
_apart = False
"""Whether this process only makes object files, and no functions that Python could call."""


def dispatcher_of(kernel: Kernel[..., Any]) -> Any:
    """The kernel as Numba's function, whose code is kept with the sources it comes from."""
    options = {
        "nogil": True,
        "error_model": "numpy",
        "fastmath": kernel.options["fastmath"],
        "inline": kernel.options["inline"],
        "_nrt": kernel.options["allocates"],
    }
    if _apart:
        return _translated(kernel, options)
    source = Path(inspect.getfile(kernel.py_func))
    folder = _objects.folder_of(source) if source.is_relative_to(PACKAGE) else None
    if folder is not None and not folder.exists():
        _objects.tell(1, 1)
    # Both are read when the function is decorated; other packages keep their own. Kernels cannot do without Numba.
    previous = numba.config.CACHE_DIR, numba.config.DISABLE_JIT
    numba.config.CACHE_DIR, numba.config.DISABLE_JIT = str(folder or ""), 0
    try:
        jitted = numba.njit(cache=folder is not None, **options)(kernel.py_func)
    finally:
        numba.config.CACHE_DIR, numba.config.DISABLE_JIT = previous
    if folder is not None:
        _keep_if_possible(jitted)
    return jitted


def _keep_if_possible(jitted: Any) -> None:
    """A disk that is full costs the cache, not the result: what has been compiled is used all the same."""
    save = jitted._cache.save_overload

    def attempt(*compiled: Any) -> None:
        try:
            save(*compiled)
        except OSError as error:
            _warn(f"compiled kernels cannot be kept in {_objects.CACHE}: {error.strerror or error}")

    jitted._cache.save_overload = attempt


@functools.cache
def _warn(text: str) -> None:
    logging.getLogger("sixprime").warning("%s", text)


# -- kernels and blocks as Numba sees them -------------------------------------------------------


@typeof_impl.register(Kernel)
def _type_of_kernel(kernel: Kernel[..., Any], _: Any) -> types.Type:
    return types.Dispatcher(kernel.dispatcher)


@typeof_impl.register(Entry)
def _type_of_entry(entry: Entry[..., Any], _: Any) -> types.Type:
    return types.Dispatcher(entry.kernel.dispatcher)


class BlockType(types.Type):
    """A block, or the arguments of an entry: fields one after the other, by name what each is and its first word."""

    def __init__(self, name: str, kinds: dict[str, Kind]) -> None:
        self.fields: dict[str, tuple[types.Type, int]] = {}
        at = 0
        for field, kind in kinds.items():
            self.fields[field] = _type_of(kind), at
            at += width(kind)
        super().__init__(name)


def _type_of(kind: Kind) -> types.Type:
    if isinstance(kind, Layout):
        return types.Array(numba.from_dtype(kind.dtype), kind.axes, "C")
    if kind is int:
        return types.int64
    return types.float64 if kind is float else BlockType(f"{kind.__module__}.{kind.__name__}", fields_of(kind))


@register_model(BlockType)
class _BlockModel(models.PrimitiveModel):
    def __init__(self, manager: Any, block: BlockType) -> None:
        super().__init__(manager, block, _WORD)


@typeof_impl.register(Block)
def _type_of_block(block: Block, _: Any) -> types.Type:
    return _type_of(type(block))


@unbox(BlockType)
def _unbox(_: BlockType, block: Any, c: Any) -> NativeValue:
    address = c.pyapi.object_getattr_string(block, "address")
    word = c.pyapi.long_as_longlong(address)
    c.pyapi.decref(address)
    return NativeValue(word)


@infer_getattr
class _BlockAttributes(AttributeTemplate):
    key = BlockType

    def generic_resolve(self, block: BlockType, name: str) -> types.Type | None:
        return block.fields[name][0] if name in block.fields else None


@lower_getattr_generic(BlockType)
def _read(context: Any, builder: Any, block: BlockType, address: Any, name: str) -> Any:
    kind, first = block.fields[name]

    def word(offset: int, form: Any = _WORD) -> Any:
        place = builder.add(address, ir.Constant(_WORD, 8 * (first + offset)))
        read = builder.load(builder.inttoptr(place, form.as_pointer()))
        read.set_metadata("invariant.load", builder.module.add_metadata([]))
        return read

    if not isinstance(kind, types.Array):
        return word(0, ir.DoubleType() if kind == types.float64 else _WORD)
    item = context.get_data_type(kind.dtype)
    size = ir.Constant(_WORD, context.get_abi_sizeof(item))
    shape = [word(1 + axis) for axis in range(kind.ndim)]
    strides = [size]
    for axis in range(kind.ndim - 1, 0, -1):
        strides.insert(0, builder.mul(strides[0], shape[axis], flags=("nsw",)))
    array = make_array(kind)(context, builder)
    data = builder.inttoptr(word(0), item.as_pointer())
    populate_array(array, data=data, shape=shape, strides=strides, itemsize=size, meminfo=None)
    return array._getvalue()


def _count_zeros(function: Any, instruction: str) -> None:
    @type_callable(function)
    def typed(_: Any) -> Any:
        return lambda bits: types.int64

    @lower_builtin(function, types.Integer)
    def lowered(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        bits = context.cast(builder, args[0], signature.args[0], types.int64)
        return getattr(builder, instruction)(bits, ir.Constant(ir.IntType(1), 0))


_count_zeros(_bits.trailing_zeros, "cttz")
_count_zeros(_bits.leading_zeros, "ctlz")


# -- vectors --------------------------------------------------------------------------------------


class VectorType(types.Type):
    """A vector of `_vectors`."""

    def __init__(self, item: types.Number, count: int) -> None:
        super().__init__(f"{count} {item}")
        self.whole = item == types.int16
        self.form = ir.VectorType(ir.IntType(16) if self.whole else ir.FloatType(), count)


_FLOATS, _SHORTS = VectorType(types.float32, _vectors.FLOATS), VectorType(types.int16, _vectors.SHORTS)


@register_model(VectorType)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, manager: Any, vector: VectorType) -> None:
        super().__init__(manager, vector, vector.form)


def _place(context: Any, builder: Any, array: Any, value: Any, indices: Any, vector: VectorType) -> Any:
    """Where a vector lies in an array."""
    found = make_array(array)(context, builder, value)
    offset: Any = ir.Constant(_WORD, 0)
    for (index, kind), stride in zip(indices, cgutils.unpack_tuple(builder, found.strides), strict=True):
        offset = builder.add(offset, builder.mul(context.cast(builder, index, kind, types.int64), stride))
    data = builder.ptrtoint(found.data, _WORD)
    return builder.inttoptr(builder.add(data, offset), vector.form.as_pointer())


def _gives(function: Any, result: Any) -> None:
    """Says what a function of any arguments gives."""

    @infer_global(function)
    class Typed(AbstractTemplate):
        def generic(self, args: Any, kws: Any) -> Any:
            return signature_of(result, *map(unliteral, args))


def _loads(function: Any, vector: VectorType) -> None:
    _gives(function, vector)

    @lower_builtin(function, types.Array, VarArg(types.Integer))
    def lowered(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        indices = list(zip(args[1:], signature.args[1:], strict=True))
        place = _place(context, builder, signature.args[0], args[0], indices, vector)
        return builder.load(place, align=signature.args[0].dtype.bitwidth // 8)


_loads(_vectors.floats, _FLOATS)
_loads(_vectors.shorts, _SHORTS)


_gives(_vectors.put, types.none)


@lower_builtin(_vectors.put, VectorType, types.Array, VarArg(types.Integer))
def _put(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    indices = list(zip(args[2:], signature.args[2:], strict=True))
    place = _place(context, builder, signature.args[1], args[1], indices, signature.args[0])
    builder.store(args[0], place, align=signature.args[1].dtype.bitwidth // 8)
    return context.get_dummy_value()


def _operation(function: Any, count: int, result: Any, lowered: Callable[..., Any]) -> None:
    """A function of vectors and numbers; lowered: makes its instructions for a builder and its arguments' values."""
    _gives(function, result)

    @lower_builtin(function, *[types.Any] * count)
    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        numbers = [
            value if isinstance(kind, VectorType) else context.cast(builder, value, kind, types.float32)
            for value, kind in zip(args, signature.args, strict=True)
        ]
        return lowered(builder, *numbers)


def _repeated(builder: Any, number: Any) -> Any:
    nothing = ir.Constant(_FLOATS.form, ir.Undefined)
    first = builder.insert_element(nothing, number, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(first, nothing, ir.Constant(ir.VectorType(ir.IntType(32), _vectors.FLOATS), None))


def _called(builder: Any, name: str, result: Any, *args: Any) -> Any:
    """What a function of LLVM's own makes of vectors of floats."""
    kind = ir.FunctionType(result, [arg.type for arg in args])
    function = cgutils.get_or_insert_function(builder.module, kind, f"llvm.{name}.v{_vectors.FLOATS}f32")
    return builder.call(function, args, fastmath=("fast",))


def _cut(builder: Any, vector: Any, bound: Any) -> Any:
    highest = _repeated(builder, bound)
    not_above = _called(builder, "minnum", _FLOATS.form, vector, highest)
    return _called(builder, "maxnum", _FLOATS.form, not_above, builder.fneg(highest))


def _half(builder: Any, vector: Any, first: int) -> Any:
    numbers = list(range(first, first + _vectors.FLOATS))
    mask = ir.Constant(ir.VectorType(ir.IntType(32), _vectors.FLOATS), numbers)
    return builder.sitofp(builder.shuffle_vector(vector, vector, mask), _FLOATS.form)


def _sum(builder: Any, vector: Any) -> Any:
    return _called(builder, "vector.reduce.fadd", ir.FloatType(), ir.Constant(ir.FloatType(), 0.0), vector)


_operation(_vectors.repeat, 1, _FLOATS, _repeated)
_operation(_vectors.fused, 3, _FLOATS, lambda builder, *args: _called(builder, "fmuladd", _FLOATS.form, *args))
_operation(_vectors.within, 2, _FLOATS, _cut)
_operation(_vectors.lower, 1, _FLOATS, lambda builder, vector: _half(builder, vector, 0))
_operation(_vectors.upper, 1, _FLOATS, lambda builder, vector: _half(builder, vector, _vectors.FLOATS))
_operation(_vectors.total, 1, types.float32, _sum)


_gives(_vectors.cut, _SHORTS)


@lower_builtin(_vectors.cut, VectorType, types.Integer)
def _cut_shorts(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    bound = context.cast(builder, args[1], signature.args[1], types.int16)
    first = builder.insert_element(ir.Constant(_SHORTS.form, ir.Undefined), bound, ir.Constant(ir.IntType(32), 0))
    places = ir.Constant(ir.VectorType(ir.IntType(32), _vectors.SHORTS), None)
    highest = builder.shuffle_vector(first, first, places)
    kind = ir.FunctionType(_SHORTS.form, [_SHORTS.form, _SHORTS.form])
    least, most = (
        cgutils.get_or_insert_function(builder.module, kind, f"llvm.{name}.v{_vectors.SHORTS}i16")
        for name in ("smin", "smax")
    )
    return builder.call(most, [builder.call(least, [args[0], highest]), builder.neg(highest)])


_WIDE = ir.VectorType(ir.IntType(32), _vectors.FLOATS)


# LLVM makes one instruction of the arithmetic of each of the next two, which it knows in these forms alone.


def _squares(builder: Any, vector: Any) -> Any:
    def square(first: int) -> Any:
        places = ir.Constant(_WIDE, list(range(first, _vectors.SHORTS, 2)))
        numbers = builder.sext(builder.shuffle_vector(vector, vector, places), _WIDE)
        return builder.mul(numbers, numbers, flags=("nsw",))

    return builder.sitofp(builder.add(square(0), square(1), flags=("nsw",)), _FLOATS.form)


def _products(builder: Any, vector: Any) -> Any:
    pairs, bits = builder.bitcast(vector, _WIDE), ir.Constant(_WIDE, [16] * _vectors.FLOATS)
    first, second = builder.ashr(builder.shl(pairs, bits), bits), builder.ashr(pairs, bits)
    return builder.sitofp(builder.mul(first, second, flags=("nsw",)), _FLOATS.form)


_operation(_vectors.squares, 1, _FLOATS, _squares)
_operation(_vectors.products, 1, _FLOATS, _products)


_gives(_vectors.above, types.int64)


@lower_builtin(_vectors.above, types.Array, types.Integer)
def _above(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    array = make_array(signature.args[0])(context, builder, args[0])
    whole = ir.VectorType(ir.IntType(8), 32)
    board = builder.load(builder.bitcast(array.data, whole.as_pointer()), align=1)
    bound = context.cast(builder, args[1], signature.args[1], types.int8)
    first = builder.insert_element(ir.Constant(whole, ir.Undefined), bound, ir.Constant(ir.IntType(32), 0))
    bounds = builder.shuffle_vector(first, first, ir.Constant(ir.VectorType(ir.IntType(32), 32), None))
    bits = builder.bitcast(builder.icmp_signed(">", board, bounds), ir.IntType(32))
    return builder.zext(bits, _WORD)


def _operator(function: Any, name: str) -> None:
    @infer_global(function)
    class Typed(AbstractTemplate):
        def generic(self, args: Any, kws: Any) -> Any:
            same = len(args) == 2 and isinstance(args[0], VectorType) and args[0] == args[1]
            return signature_of(args[0], *args) if same else None

    @lower_builtin(function, VectorType, VectorType)
    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        if signature.args[0].whole:
            return getattr(builder, name)(*args)
        return getattr(builder, f"f{name}")(*args, flags=("fast",))


_operator(operator.add, "add")
_operator(operator.sub, "sub")
_operator(operator.mul, "mul")
_operator(operator.truediv, "div")


# -- object files ---------------------------------------------------------------------------------


@global_compiler_lock
@uncollected()
def compile_group(group: str, progress: Hook = lambda progress: None) -> bytes:
    """The object file of a group. For a process of its own: Numba is of no other use after it.

    progress: told the kernels translated and how many there are.
    """
    _translate_only()
    importlib.import_module(group)
    _watch(group, progress)
    target = numba.core.registry.cpu_target.target_context.codegen()
    whole = binding.parse_assembly(str(target._create_empty_module(group)))
    entries = ENTRIES[group]
    for symbol, entry in entries.items():
        library, name = _entry_library(entry)
        module = library._final_module.clone()
        for function in module.functions:
            if not function.is_declaration and function.name != name:
                function.linkage = "linkonce_odr"
        module.get_function(name).name = symbol
        whole.link_in(module)
    inlined = {found.fndesc.llvm_func_name for each in _inlined for found in each.overloads.values()}
    for function in whole.functions:
        if not function.is_declaration and function.name not in entries:
            function.linkage = "internal"
            if function.name in inlined:
                function.add_function_attribute("alwaysinline")
    library = target.create_library(group)
    library._final_module = whole
    _optimise(library)
    code: bytes = _machine(target).emit_object(whole)
    return code


def _machine(target: Any) -> Any:
    """LLVM's code generator; on Linux its code may lie anywhere, so that a library of it is loaded without changes."""
    if sys.platform != "linux":
        return target._tm
    options: dict[str, Any] = {"opt": numba.config.OPT}
    target._customize_tm_options(options)
    options |= {"reloc": "pic", "codemodel": "default", "jit": False}
    return binding.Target.from_default_triple().create_target_machine(**options)


_inlined: list[Any] = []
"""Functions that are part of those that call them."""
_optimise = codegen.CPUCodeLibrary._optimize_final_module


def _translate_only() -> None:
    """Numba shall translate functions without optimising each with all that it calls, and make no code of them."""
    global _apart
    _apart = Kernel.apart = True
    codegen.CPUCodeLibrary._optimize_final_module = lambda self: None
    codegen.JITCPUCodegen._add_module = lambda self, module: None
    codegen.JITCodeLibrary._finalize_specific = lambda self: None
    # No kernel counts from the end of an array; to see whether it does costs as much as many a loop.
    arrayobj.fix_integer_index = lambda context, builder, kind, index, size: context.cast(
        builder, index, kind, types.intp
    )
    # Numba tells functions apart by this object, and wants one of a builtin type.
    cpu.CPUContext.get_executable = lambda *_: [].append
    # Who calls an entry asks for no exception, so that it need not say in which file of this machine it was raised.
    raised = callconv.CPUCallConv.set_static_user_exc
    callconv.CPUCallConv.set_static_user_exc = lambda self, builder, exc, args=None, *_, **__: raised(
        self, builder, exc, args
    )


def _translated(kernel: Kernel[..., Any], options: dict[str, Any]) -> Any:
    """A function that is only translated: once, whatever numbers it is called with, and inlined by LLVM if at all.

    Numba would translate it again for each constant among the arguments, and what it inlines again for each caller.
    """
    inlined = options["inline"] == "always"
    options |= {"inline": "never", "_nrt": options["_nrt"] and not inlined}
    function = numba.njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **options)(kernel.py_func)
    template_of = function.get_call_template

    def template(args: Any, kws: dict[str, Any]) -> Any:
        found = template_of([unliteral(arg) for arg in args], {name: unliteral(arg) for name, arg in kws.items()})
        _translated_now(kernel)
        return found

    function.get_call_template = template
    if inlined:
        _inlined.append(function)
    return function


_translated_now: Callable[[Kernel[..., Any]], None]


def _watch(group: str, progress: Hook) -> None:
    """Has `progress` called with how many of the kernels of a group are translated; the rest stands for LLVM's part."""
    global _translated_now
    waiting = [entry.kernel for entry in ENTRIES[group].values()]
    left: set[Kernel[..., Any]] = set()
    while waiting:
        kernel = waiting.pop()
        left.add(kernel)
        function: Any = kernel.py_func
        for name in function.__code__.co_names:
            called = function.__globals__.get(name)
            called = called.kernel if isinstance(called, Entry) else called
            if isinstance(called, Kernel) and called not in left:
                waiting.append(called)
    total = len(left)

    def translated(kernel: Kernel[..., Any]) -> None:
        if kernel in left:
            left.remove(kernel)
            progress(Progress(total - len(left), total + total // 4, "kernels"))

    _translated_now = translated


def _entry_library(entry: Entry[..., Any]) -> tuple[Any, str]:
    """The code of an entry that takes its arguments' words, not optimised, and the name of its function there."""
    block = BlockType(f"{entry.symbol} arguments", entry.kinds)

    @intrinsic
    def arguments(_: Any, address: Any) -> Any:
        return block(address), lambda context, builder, signature, args: args[0]

    words = ", ".join(f"a.{name}" for name in entry.names)
    scope = {"arguments": arguments, "kernel": entry.kernel}
    exec(f"def call(address):\n    a = arguments(address)\n    return kernel({words})\n", scope)
    call = dispatcher_of(Kernel(scope["call"], entry.kernel.options))
    call.compile((types.int64,))
    [found] = call.overloads.values()
    found.library._ensure_finalized()
    return found.library, found.fndesc.llvm_func_name
