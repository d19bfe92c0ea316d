"""SIMD lanes and pointers for Numba, as LLVM instructions.

Their plain Python functions are in `numerics.kernels.simd` and `numerics.kernels.pointers`. `kernel` loads this module
before it compiles anything.
"""

from __future__ import annotations

import operator
from typing import Any

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel import models
from numba.extending import lower_builtin, overload, register_model, type_callable

from numerics.kernels.compiling import watch
from numerics.kernels.pointers import array_at, pointer, pointers_of
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
_FALSE = ir.Constant(ir.IntType(1), 0)
_TRUTHS_OF = {_FLOATS: _TRUTHS, _WORDS: _TRUTHS, _SINGLES: _MORE_TRUTHS, _SHORTS: _MORE_TRUTHS}


@register_model(Lanes)
class _Model(models.PrimitiveModel):
    def __init__(self, manager: Any, lanes: Any):
        super().__init__(manager, lanes, _VECTOR[lanes])


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


def _compile(function: Any, typed: Any, emit: Any) -> None:
    """Compile calls of a plain function: `typed` returns a call's signature, `emit` emits its instructions.

    `numba.extending.intrinsic` needs a function around each, and Numba a second to compile all that a kernel calls.
    """
    type_callable(function)(lambda _context: typed)
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


for _function, _typed, _emit in (
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
    (pointer, lambda whole, index: types.CPointer(whole.dtype)(whole, index), _address),
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
_carray: Any = numba.carray  # type: ignore[attr-defined]
overload(array_at, strict=False)(lambda pointer, shape: lambda pointer, shape: _carray(pointer, shape))


@overload(pointers_of, strict=False)
def _pointers_of(table: Any) -> Any:
    fields = ", ".join(f"pointer(table.{name}, 0)" for name in table.fields)  # Numba has no loop over a tuple's fields
    return eval(f"lambda table: made({fields})", {"made": table.instance_class, "pointer": pointer})


watch()
