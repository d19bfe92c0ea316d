"""The signatures of the hooks in Numba's words; `bandits.rules` says what each argument holds."""

_VECTOR = "float64[::1]"
_STATE = ", ".join([*[_VECTOR] * 5, "float64", "float64", _VECTOR, "uint64[:, ::1]"])
SIGNATURES = {
    "bonus": f"float64(float64, {_VECTOR})",
    "score": f"void({_STATE}, {_VECTOR})",
    "select": f"void({_STATE}, float64[:, ::1], int64[::1])",
    "learn": f"void(float64[:, ::1], int64[::1], {_VECTOR})",
    "law": f"void({_VECTOR}, {_VECTOR}, float64, {_VECTOR})",
}

_NUMBERS, _WORDS = "CPointer(float64)", "CPointer(uint64)"
_STATISTICS = ", ".join([_NUMBERS] * 5)
POINTED = f"void(int64, int64, {_STATISTICS}, float64, float64, {_NUMBERS}, int64, {_WORDS}, {_NUMBERS})"
"""A score hook that takes pointers: see `bandits.kernels.pointed`."""
