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
from numba.extending import intrinsic, overload, register_model

from numerics.kernels.compiling import watch
from numerics.kernels.pointers import array_at, pointer
from numerics.kernels.simd import (
    LANES,
    SHORT_LANES,
    about,
    as_bits,
    bits_of,
    first_bit,
    highest_of,
    lanes_at,
    lanes_of,
    put_lanes,
    to_floats,
    total_of,
    where,
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
_TRUTHS_OF = {_FLOATS: _TRUTHS, _WORDS: _TRUTHS, _SINGLES: _MORE_TRUTHS, _SHORTS: _MORE_TRUTHS}


@register_model(Lanes)
class _Model(models.PrimitiveModel):
    def __init__(self, manager: Any, lanes: Any):
        super().__init__(manager, lanes, _VECTOR[lanes])


def _place(context: Any, builder: Any, kind: Any, array: Any, index: Any) -> Any:
    """Emit the address of the lanes that begin at an index of an array."""
    data = cgutils.create_struct_proxy(kind)(context, builder, value=array).data
    return builder.bitcast(builder.gep(data, [index]), _VECTOR[_IN_ARRAY[kind.dtype]].as_pointer())


def _at(_typing: Any, array: Any, index: Any) -> tuple[Any, Any]:
    """Return the signature of `lanes_at` and the function that emits its code, as do the functions below."""
    lanes = _IN_ARRAY[array.dtype]

    def write(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        address = _place(context, builder, array, arguments[0], arguments[1])
        return builder.load(address, align=lanes.number.bitwidth // 8)

    return lanes(array, types.int64), write


def _put(_typing: Any, array: Any, index: Any, lanes: Any) -> tuple[Any, Any]:
    def write(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        address = _place(context, builder, array, arguments[0], arguments[1])
        builder.store(arguments[2], address, align=lanes.number.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(array, types.int64, _IN_ARRAY[array.dtype]), write


def _of(_typing: Any, number: Any) -> tuple[Any, Any]:
    lanes = {types.float32: _SINGLES, types.int32: _SHORTS}.get(
        number, _FLOATS if isinstance(number, types.Float) else _WORDS
    )

    def write(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        first = ir.Constant(ir.IntType(32), 0)
        single = builder.insert_element(ir.Constant(_VECTOR[lanes], ir.Undefined), arguments[0], first)
        return builder.shuffle_vector(
            single, single, ir.Constant(ir.VectorType(first.type, lanes.count), [0] * lanes.count)
        )

    return lanes(lanes.number), write


def _choice(_typing: Any, truth: Any, yes: Any, no: Any) -> tuple[Any, Any]:
    def write(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.select(*arguments)

    return yes(_TRUTHS_OF[yes], yes, yes), write


def _bits(_typing: Any, truth: Any) -> tuple[Any, Any]:
    def write(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.zext(builder.bitcast(arguments[0], ir.IntType(truth.count)), ir.IntType(64))

    return types.int64(truth), write


def _lowest_bit(_typing: Any, bits: Any) -> tuple[Any, Any]:
    def write(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.int64), write


def _folded(_typing: Any, lanes: Any) -> tuple[Any, Any]:
    """Fold the upper half of lanes onto the lower until a single number is left: the maximum of floats, or a sum."""

    def write(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        left, half, index_type = arguments[0], lanes.count // 2, ir.IntType(32)
        while half:
            mask = ir.Constant(
                ir.VectorType(index_type, lanes.count), [(i + half) % lanes.count for i in range(lanes.count)]
            )
            other = builder.shuffle_vector(left, left, mask)
            if lanes == _FLOATS:
                left = builder.select(builder.fcmp_ordered(">", left, other), left, other)
            else:
                left = builder.add(left, other)
            half //= 2
        return builder.extract_element(left, ir.Constant(index_type, 0))

    return lanes.number(lanes), write


def _reals(_typing: Any, words: Any) -> tuple[Any, Any]:
    def write(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.uitofp(arguments[0], _VECTOR[_FLOATS])

    return _FLOATS(_WORDS), write


def _cast(_typing: Any, singles: Any) -> tuple[Any, Any]:
    def write(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], _VECTOR[_SHORTS])

    return _SHORTS(_SINGLES), write


def _fused(_typing: Any, left: Any, right: Any, more: Any) -> tuple[Any, Any]:
    def write(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        vector = _VECTOR[left]
        name = f"llvm.fmuladd.v{left.count}f{left.number.bitwidth}"
        fused = cgutils.get_or_insert_function(builder.module, ir.FunctionType(vector, [vector] * 3), name)
        return builder.call(fused, arguments)

    return left(left, left, left), write


def _instruction(lanes: Any, result: Any, method: str, *first: str) -> Any:
    """Return an intrinsic of two lanes that is a single instruction."""

    def instruction(_typing: Any, left: Any, right: Any) -> tuple[Any, Any]:
        def write(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            return getattr(builder, method)(*first, *arguments)

        return result(lanes, lanes), write

    return intrinsic(instruction)


def _compile(function: Any, instruction: Any) -> None:
    """Compile calls of a plain function to an instruction."""
    overload(function, strict=False)(lambda *_types: lambda *arguments: instruction(*arguments))


def _compile_operator(symbol: Any, instructions: dict[Any, Any]) -> None:
    """Compile an operator in kernels; `instructions` maps each type of lanes to its instruction."""

    def pair(left: Any, right: Any) -> Any:
        if left not in instructions:
            return None
        instruction = instructions[left]
        if isinstance(right, Lanes):
            return lambda left, right: instruction(left, right)
        return lambda left, right: instruction(left, lanes_of(right))

    overload(symbol, strict=False)(pair)  # not strict: Numba would compare annotations along with argument names


for _function, _instruction_of in (
    (lanes_at, _at),
    (put_lanes, _put),
    (lanes_of, _of),
    (where, _choice),
    (bits_of, _bits),
    (first_bit, _lowest_bit),
    (highest_of, _folded),
    (total_of, _folded),
    (to_floats, _reals),
    (as_bits, _cast),
    (about, _fused),
):
    _compile(_function, intrinsic(_instruction_of))
for _symbol, _instructions in {
    operator.add: {
        _FLOATS: _instruction(_FLOATS, _FLOATS, "fadd"),
        _SINGLES: _instruction(_SINGLES, _SINGLES, "fadd"),
        _WORDS: _instruction(_WORDS, _WORDS, "add"),
        _SHORTS: _instruction(_SHORTS, _SHORTS, "add"),
    },
    operator.sub: {_SHORTS: _instruction(_SHORTS, _SHORTS, "sub")},
    operator.mul: {
        _FLOATS: _instruction(_FLOATS, _FLOATS, "fmul"),
        _SINGLES: _instruction(_SINGLES, _SINGLES, "fmul"),
        _SHORTS: _instruction(_SHORTS, _SHORTS, "mul"),
    },
    operator.gt: {
        _FLOATS: _instruction(_FLOATS, _TRUTHS, "fcmp_ordered", ">"),
        _SINGLES: _instruction(_SINGLES, _MORE_TRUTHS, "fcmp_ordered", ">"),
        _SHORTS: _instruction(_SHORTS, _MORE_TRUTHS, "icmp_signed", ">"),
        _WORDS: _instruction(_WORDS, _TRUTHS, "icmp_unsigned", ">"),
    },
    operator.eq: {_FLOATS: _instruction(_FLOATS, _TRUTHS, "fcmp_ordered", "==")},
    operator.xor: {_WORDS: _instruction(_WORDS, _WORDS, "xor")},
    operator.and_: {_SHORTS: _instruction(_SHORTS, _SHORTS, "and_")},
    operator.or_: {
        _WORDS: _instruction(_WORDS, _WORDS, "or_"),
        _SHORTS: _instruction(_SHORTS, _SHORTS, "or_"),
    },
    operator.lshift: {_WORDS: _instruction(_WORDS, _WORDS, "shl")},
    operator.rshift: {_WORDS: _instruction(_WORDS, _WORDS, "lshr")},
}.items():
    _compile_operator(_symbol, _instructions)


@intrinsic
def _address(_typing: Any, whole: Any, index: Any) -> tuple[Any, Any]:
    """Return the signature of `pointer` and the function that emits its code."""

    def write(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        data = arguments[0]
        if not isinstance(whole, types.CPointer):
            data = cgutils.create_struct_proxy(whole)(context, builder, value=data).data
        return builder.gep(data, [arguments[1]])

    return types.CPointer(whole.dtype)(whole, index), write


_address_of: Any = _address
_carray: Any = numba.carray  # type: ignore[attr-defined]
overload(pointer, strict=False)(lambda whole, index: lambda whole, index: _address_of(whole, index))
overload(array_at, strict=False)(lambda pointer, shape: lambda pointer, shape: _carray(pointer, shape))
watch()
