"""Arrays, SIMD lanes and pointers for Numba, as LLVM instructions.

Their plain Python functions are in `numerics.kernels.arrays`, `simd` and `pointers`. `kernel` loads this module before
it compiles anything.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any, cast

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel import models
from numba.core.imputils import impl_ret_borrowed
from numba.core.typeconv.castgraph import Conversion
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.extending import lower_builtin, lower_cast, register_model, type_callable
from numba.np.arrayobj import populate_array

from numerics.kernels.arrays import empty, same_bits, zeros
from numerics.kernels.compiling import watch
from numerics.kernels.pointers import array_at, borrowed, pointer, pointers_of
from numerics.kernels.simd import (
    LANES,
    SHORT_LANES,
    as_bits,
    bits_of,
    first_bit,
    fused_or_not,
    highest_of,
    lanes_at,
    lanes_of,
    put_lanes,
    select_lanes,
    to_floats,
    total_of,
)
from numerics.kernels.words import (
    WIDE_BITS,
    as_int,
    bitboards_of,
    count_bits,
    one_of,
    size_of,
    upper_word,
    wide_bitboards_of,
)


class Lanes(types.Type):
    """The Numba type of `count` numbers of the same type."""

    def __init__(self, number: Any, count: int):
        self.number, self.count = number, count
        super().__init__(name=f"lanes({number}, {count})")


_FLOATS, _WORDS, _TRUTHS = (Lanes(number, LANES) for number in (types.float64, types.uint64, types.boolean))
_SINGLES, _SHORTS, _MORE_TRUTHS = (Lanes(number, SHORT_LANES) for number in (types.float32, types.int32, types.boolean))
_IN_ARRAY = {
    types.float64: _FLOATS,
    types.uint64: _WORDS,
    types.int64: _WORDS,
    types.float32: _SINGLES,
    types.int32: _SHORTS,
}
_NUMBER = {
    types.float64: ir.DoubleType(),
    types.uint64: ir.IntType(64),
    types.float32: ir.FloatType(),
    types.int32: ir.IntType(32),
    types.boolean: ir.IntType(1),
}
_VECTOR = {
    lanes: ir.VectorType(_NUMBER[lanes.number], lanes.count)
    for lanes in (_FLOATS, _WORDS, _TRUTHS, _SINGLES, _SHORTS, _MORE_TRUTHS)
}
_CACHE_LINE = 64  # bytes
_FALSE = ir.Constant(ir.IntType(1), 0)
_TRUTHS_OF = {_FLOATS: _TRUTHS, _WORDS: _TRUTHS, _SINGLES: _MORE_TRUTHS, _SHORTS: _MORE_TRUTHS}


@register_model(Lanes)
class _Model(models.PrimitiveModel):
    def __init__(self, manager: Any, lanes: Any):
        super().__init__(manager, lanes, _VECTOR[lanes])


class Wide(types.Type):
    """The Numba type of a bitboard of 128 bits, an i128 of LLVM."""

    bitwidth = WIDE_BITS

    def can_convert_from(self, _context: Any, other: Any) -> Any:
        """Tell that a whole number may stand for a bitboard."""
        return Conversion.safe if isinstance(other, types.Integer) else None


_WIDE = Wide("wide")


@register_model(Wide)
class _WideModel(models.PrimitiveModel):
    def __init__(self, manager: Any, wide: Any):
        super().__init__(manager, wide, ir.IntType(WIDE_BITS))


def _widen(_context: Any, builder: Any, number: Any, _wide: Any, value: Any) -> Any:
    return (builder.sext if number.signed else builder.zext)(value, ir.IntType(WIDE_BITS))


lower_cast(types.Integer, Wide)(_widen)


def _load(context: Any, builder: Any, signature: Any, given: Any) -> Any:
    lanes = signature.return_type
    return builder.load(_lanes_in(context, builder, signature, given), align=lanes.number.bitwidth // 8)


def _store(context: Any, builder: Any, signature: Any, given: Any) -> Any:
    lanes = signature.args[2]
    builder.store(given[2], _lanes_in(context, builder, signature, given), align=lanes.number.bitwidth // 8)
    return context.get_dummy_value()


def _lanes_in(context: Any, builder: Any, signature: Any, given: Any) -> Any:
    """Emit the address of the lanes that begin at an index of an array, or from a pointer on."""
    data = _address(context, builder, signature, given)
    return builder.bitcast(data, _VECTOR[_IN_ARRAY[signature.args[0].dtype]].as_pointer())


def _type_of_lanes(number: Any) -> Any:
    """Return the signature of `lanes_of`."""
    usual = _FLOATS if isinstance(number, types.Float) else _WORDS
    lanes = {types.float32: _SINGLES, types.int32: _SHORTS}.get(number, usual)
    return lanes(lanes.number)


def _repeat(_context: Any, builder: Any, signature: Any, given: Any) -> Any:
    lanes, first = signature.return_type, ir.Constant(ir.IntType(32), 0)
    single = builder.insert_element(ir.Constant(_VECTOR[lanes], ir.Undefined), given[0], first)
    return builder.shuffle_vector(
        single, single, ir.Constant(ir.VectorType(first.type, lanes.count), [0] * lanes.count)
    )


def _bits(_context: Any, builder: Any, signature: Any, given: Any) -> Any:
    return builder.zext(builder.bitcast(given[0], ir.IntType(signature.args[0].count)), ir.IntType(64))


def _fold(_context: Any, builder: Any, signature: Any, given: Any) -> Any:
    """Fold the upper half of lanes onto the lower until a single number is left: the maximum of floats, or a sum."""
    lanes, left, index_type = signature.args[0], given[0], ir.IntType(32)
    half = lanes.count // 2
    while half:
        turned = [(i + half) % lanes.count for i in range(lanes.count)]
        other = builder.shuffle_vector(left, left, ir.Constant(ir.VectorType(index_type, lanes.count), turned))
        if lanes == _FLOATS:
            left = builder.select(builder.fcmp_ordered(">", left, other), left, other)
        else:
            left = builder.add(left, other)
        half //= 2
    return builder.extract_element(left, ir.Constant(index_type, 0))


def _fuse(_context: Any, builder: Any, signature: Any, given: Any) -> Any:
    lanes = signature.return_type
    name, vector = f"llvm.fmuladd.v{lanes.count}f{lanes.number.bitwidth}", _VECTOR[lanes]
    fused = cgutils.get_or_insert_function(builder.module, ir.FunctionType(vector, [vector] * 3), name)
    return builder.call(fused, given)


def _address(context: Any, builder: Any, signature: Any, given: Any) -> Any:
    whole, data = signature.args[0], given[0]
    if not isinstance(whole, types.CPointer):
        data = cgutils.create_struct_proxy(whole)(context, builder, value=data).data
    return builder.gep(data, [given[1]])


def _array_of(number: Any, shape: Any) -> tuple[Any, Any]:
    """Return the types of a new array of numbers, and of its shape: a number or a tuple."""
    arrays: Any = types.Array
    if isinstance(shape, types.BaseTuple):
        return arrays(number, len(shape), "C"), types.UniTuple(types.int64, len(shape))
    return arrays(number, 1, "C"), types.int64


def _type_of_array(shape: Any, *number: Any) -> Any:
    """Return the signature of `zeros` and `empty`."""
    array, shape = _array_of(number[0].dtype if number else types.float64, shape)
    return array(shape, *number)


def _type_of_array_at(pointer: Any, shape: Any) -> Any:
    """Return the signature of `array_at`."""
    array, shape = _array_of(pointer.dtype, shape)
    return array(pointer, shape)


def _array_at(context: Any, builder: Any, signature: Any, given: Any) -> Any:
    return _fill_in(context, builder, signature.return_type, given[0], _sizes(builder, given[1]), None)


def _allocate(context: Any, builder: Any, signature: Any, given: Any, *, cleared: bool = False) -> Any:
    """Emit a new array, whose caller owns it."""
    kind, sizes = signature.return_type, _sizes(builder, given[0])
    total = functools.reduce(builder.mul, sizes, _bytes_of(context, kind))
    line = context.get_constant(types.uint32, _CACHE_LINE)
    meminfo = context.nrt.meminfo_alloc_aligned(builder, total, line)
    data = builder.bitcast(context.nrt.meminfo_data(builder, meminfo), context.get_data_type(kind.dtype).as_pointer())
    if cleared:
        cgutils.memset(builder, data, total, 0)
    return _fill_in(context, builder, kind, data, sizes, meminfo)


def _sizes(builder: Any, shape: Any) -> list[Any]:
    """Emit the sizes of the axes of a shape, a number or a tuple."""
    return [shape] if isinstance(shape.type, ir.IntType) else cgutils.unpack_tuple(builder, shape)


def _bytes_of(context: Any, kind: Any) -> Any:
    """Emit the bytes of a number of an array."""
    return context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(kind.dtype)))


def _fill_in(
    context: Any, builder: Any, kind: Any, data: Any, sizes: list[Any], meminfo: Any, parent: Any = None
) -> Any:
    """Emit a C-contiguous array from its data."""
    strides = [_bytes_of(context, kind)]
    for size in sizes[:0:-1]:
        strides.insert(0, builder.mul(size, strides[0]))
    array = context.make_array(kind)(context, builder)
    populate_array(array, data, sizes, strides, strides[-1], meminfo, parent)
    return array._getvalue()


def _type_of_bits(value: Any, number: Any) -> Any:
    """Return the signature of `same_bits`."""
    return (
        value.copy(dtype=number.dtype)(value, number) if isinstance(value, types.Array) else number.dtype(value, number)
    )


def _bits_as(context: Any, builder: Any, signature: Any, given: Any) -> Any:
    old, kind = signature.args[0], signature.return_type
    if not isinstance(kind, types.Array):
        return builder.bitcast(given[0], context.get_value_type(kind))
    seen = context.make_array(old)(context, builder, given[0])
    data = builder.bitcast(seen.data, context.get_data_type(kind.dtype).as_pointer())
    (size,) = cgutils.unpack_tuple(builder, seen.shape)
    size = builder.sdiv(builder.mul(size, _bytes_of(context, old)), _bytes_of(context, kind))
    array = _fill_in(context, builder, kind, data, [size], seen.meminfo, seen.parent)
    context.nrt.incref(builder, kind, array)
    return array


def _borrow(context: Any, builder: Any, signature: Any, given: Any) -> Any:
    """Emit arrays that own nothing."""
    kind, tuples = signature.return_type, cast(Any, types.BaseTuple)
    if isinstance(kind, tuples):
        columns = zip(kind.types, cgutils.unpack_tuple(builder, given[0]), strict=True)
        parts = [_borrow(context, builder, each(each), [column]) for each, column in columns]
        return context.make_tuple(builder, kind, parts)
    array = context.make_array(kind)(context, builder, given[0])
    array.meminfo, array.parent = (cgutils.get_null_value(part.type) for part in (array.meminfo, array.parent))
    return array._getvalue()


def _type_of_pointers(table: Any) -> Any:
    """Return the signature of `pointers_of`."""
    tuples: Any = types.BaseTuple
    return tuples.from_types([types.CPointer(array.dtype) for array in table.types], table.instance_class)(table)


def _pointers_of(context: Any, builder: Any, signature: Any, given: Any) -> Any:
    arrays = zip(signature.args[0].types, cgutils.unpack_tuple(builder, given[0]), strict=True)
    pointers = [context.make_array(kind)(context, builder, array).data for kind, array in arrays]
    return context.make_tuple(builder, signature.return_type, pointers)


def _compile(function: Any, typed: Any, emit: Any) -> None:
    """Compile calls of a plain function: `typed` returns a call's signature, `emit` emits its instructions.

    `numba.extending.intrinsic` needs a function around each, and Numba a second to compile all that a kernel calls.
    """
    template = type(function.__name__, (AbstractTemplate,), {"generic": lambda _self, given, _names: typed(*given)})
    infer_global(function)(template)
    lower_builtin(function, types.VarArg(types.Any))(emit)


def _compile_operator(symbol: Any, methods: dict[Any, str]) -> None:
    """Compile an operator of lanes and lanes, or a number; `methods` are those of the builder by the type of lanes."""
    sign = {operator.gt: [">"], operator.eq: ["=="]}.get(symbol, [])

    def typed(left: Any, right: Any) -> Any:
        if left not in methods:
            return None
        return (_TRUTHS_OF[left] if sign else left)(left, right if isinstance(right, Lanes) else left.number)

    def emit(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        (lanes, other), (left, right) = signature.args, given
        if other != lanes:
            right = _repeat(context, builder, lanes(other), [right])
        return getattr(builder, methods[lanes])(*sign, left, right)

    type_callable(symbol)(lambda _context: typed)
    for other in (Lanes, types.Number):
        lower_builtin(symbol, Lanes, other)(emit)


def _type_of_wides(array: Any) -> Any:
    """Return the signature of `wide_bitboards_of`; words lie at multiples of 8 bytes, a processor's i128 at 16."""
    arrays: Any = types.Array
    return arrays(_WIDE, array.ndim, "C", aligned=False)(array)


def _as_wides(context: Any, builder: Any, signature: Any, given: Any) -> Any:
    """Emit the same memory as bitboards, without a share in its ownership: the caller of the kernel holds it."""
    seen, kind = context.make_array(signature.args[0])(context, builder, given[0]), signature.return_type
    data = builder.bitcast(seen.data, context.get_data_type(_WIDE).as_pointer())
    sizes = cgutils.unpack_tuple(builder, seen.shape)
    sizes[-1] = builder.ashr(sizes[-1], ir.Constant(sizes[-1].type, 1))
    return _fill_in(context, builder, kind, data, sizes, None)


def _same_array(context: Any, builder: Any, signature: Any, given: Any) -> Any:
    return impl_ret_borrowed(context, builder, signature.return_type, given[0])


def _lowest(_context: Any, builder: Any, _signature: Any, given: Any) -> Any:
    whole = ir.IntType(64)
    return given[0] if given[0].type == whole else builder.trunc(given[0], whole)


def _upper(_context: Any, builder: Any, _signature: Any, given: Any) -> Any:
    whole = ir.IntType(64)
    wide = given[0].type.width == WIDE_BITS
    return builder.trunc(builder.lshr(given[0], given[0].type(whole.width)), whole) if wide else whole(0)


def _count(_context: Any, builder: Any, _signature: Any, given: Any) -> Any:
    return _lowest(_context, builder, _signature, [builder.ctpop(given[0])])


def _one(_context: Any, _builder: Any, signature: Any, _given: Any) -> Any:
    return ir.Constant(ir.IntType(signature.return_type.bitwidth), 1)


def _size(_context: Any, _builder: Any, signature: Any, _given: Any) -> Any:
    return ir.Constant(ir.IntType(64), signature.args[0].bitwidth)


def _binary(method: str, builder: Any, left: Any, right: Any) -> Any:
    return getattr(builder, method)(left, right)


def _compare(sign: str, builder: Any, left: Any, right: Any) -> Any:
    return builder.icmp_signed(sign, left, right)


def _compile_wide_operator(symbol: Any, result: Any, emit: Callable[..., Any], operands: int = 2) -> None:
    """Compile an operator of wide bitboards, or of one and a whole number."""

    def typed(_self: Any, given: Any, _names: Any) -> Any:
        if _WIDE in given and all(isinstance(each, Wide | types.Integer) for each in given):
            return result(*[_WIDE] * operands)
        return None

    infer_global(symbol)(type(symbol.__name__, (AbstractTemplate,), {"generic": typed}))
    lower_builtin(symbol, *[Wide] * operands)(lambda _context, builder, _signature, given: emit(builder, *given))


for _function, _typed, _emit in (
    (zeros, _type_of_array, functools.partial(_allocate, cleared=True)),
    (empty, _type_of_array, _allocate),
    (same_bits, _type_of_bits, _bits_as),
    (lanes_at, lambda array, index: _IN_ARRAY[array.dtype](array, types.int64), _load),
    (put_lanes, lambda array, index, lanes: types.void(array, types.int64, _IN_ARRAY[array.dtype]), _store),
    (lanes_of, _type_of_lanes, _repeat),
    (
        select_lanes,
        lambda truth, yes, no: yes(_TRUTHS_OF[yes], yes, yes),
        lambda _c, builder, _s, given: builder.select(*given),
    ),
    (bits_of, lambda truth: types.int64(truth), _bits),
    (first_bit, lambda bits: types.int64(types.int64), lambda _c, builder, _s, given: builder.cttz(*given, _FALSE)),
    (highest_of, lambda lanes: lanes.number(lanes), _fold),
    (total_of, lambda lanes: lanes.number(lanes), _fold),
    (to_floats, lambda words: _FLOATS(_WORDS), lambda _c, builder, _s, given: builder.uitofp(*given, _VECTOR[_FLOATS])),
    (
        as_bits,
        lambda singles: _SHORTS(_SINGLES),
        lambda _c, builder, _s, given: builder.bitcast(*given, _VECTOR[_SHORTS]),
    ),
    (fused_or_not, lambda left, right, more: left(left, left, left), _fuse),
    (array_at, _type_of_array_at, _array_at),
    (borrowed, lambda arrays: arrays(arrays), _borrow),
    (pointers_of, _type_of_pointers, _pointers_of),
    (pointer, lambda whole, index: types.CPointer(whole.dtype)(whole, index), _address),
    (bitboards_of, lambda array: array(array), _same_array),
    (wide_bitboards_of, _type_of_wides, _as_wides),
    (one_of, lambda bits: types.unliteral(bits)(bits), _one),
    (size_of, lambda bits: types.int64(types.unliteral(bits)), _size),
    (as_int, lambda bits: types.int64(types.unliteral(bits)), _lowest),
    (upper_word, lambda bits: types.int64(types.unliteral(bits)), _upper),
    (count_bits, lambda bits: types.int64(types.unliteral(bits)), _count),
):
    _compile(_function, _typed, _emit)
for _symbol, _methods in (
    (operator.add, {_FLOATS: "fadd", _SINGLES: "fadd", _WORDS: "add", _SHORTS: "add"}),
    (operator.sub, {_SHORTS: "sub"}),
    (operator.mul, {_FLOATS: "fmul", _SINGLES: "fmul", _SHORTS: "mul"}),
    (operator.gt, {_FLOATS: "fcmp_ordered", _SINGLES: "fcmp_ordered", _SHORTS: "icmp_signed", _WORDS: "icmp_unsigned"}),
    (operator.eq, {_FLOATS: "fcmp_ordered"}),
    (operator.xor, {_WORDS: "xor"}),
    (operator.and_, {_SHORTS: "and_"}),
    (operator.or_, {_WORDS: "or_", _SHORTS: "or_"}),
    (operator.lshift, {_WORDS: "shl"}),
    (operator.rshift, {_WORDS: "lshr"}),
):
    _compile_operator(_symbol, _methods)
for _name, _method in (
    ("add", "add"),
    ("sub", "sub"),
    ("and_", "and_"),
    ("or_", "or_"),
    ("xor", "xor"),
    ("lshift", "shl"),
    ("rshift", "ashr"),
):
    for _symbol in (getattr(operator, _name), getattr(operator, f"i{_name.rstrip('_')}")):
        _compile_wide_operator(_symbol, _WIDE, functools.partial(_binary, _method))
for _symbol, _sign in ((operator.eq, "=="), (operator.ne, "!="), (operator.lt, "<"), (operator.gt, ">")):
    _compile_wide_operator(_symbol, types.boolean, functools.partial(_compare, _sign))
_compile_wide_operator(operator.neg, _WIDE, lambda builder, bits: builder.neg(bits), 1)
_compile_wide_operator(operator.invert, _WIDE, lambda builder, bits: builder.not_(bits), 1)
_compile_wide_operator(bool, types.boolean, lambda builder, bits: builder.icmp_signed("!=", bits, bits.type(0)), 1)
watch()
