"""The natural logarithm by arithmetic alone: a loop of it becomes vector instructions; one of library calls does not.

With x = 2^k (1 + f), 1 + f in [sqrt(1/2), sqrt(2)), and s = f / (2 + f),

    ln(1 + f) = 2 artanh(s) = 2 s + s R,    R = 2/3 s^2 + 2/5 s^4 + ... to s^14, the minimax polynomial of fdlibm

(file e_log.c, Sun Microsystems 1993; its constants and its order of the sum, whose error is below 1 unit in the last
place). ln 2 is split in two, so that k times its first part is exact.
"""

from __future__ import annotations

import numpy as np

from numerics.kernels.jit import kernel

_ROOT_HALF = 0x3FE6A09E667F3BCD  # the bits of sqrt(1/2)
_FRACTION = 52  # bits of a float64 below its exponent
_LN2_HIGH, _LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
_R1, _R2, _R3, _R4, _R5, _R6, _R7 = (
    6.666666666666735130e-01,
    3.999999999940941908e-01,
    2.857142874366239149e-01,
    2.222219843214978396e-01,
    1.818357216161805012e-01,
    1.531383769920937332e-01,
    1.479819860511658591e-01,
)


@kernel(inline=True)
def natural_log(x):
    """Return ln x of a positive, normal float64 below infinity; of anything else what comes out has no meaning."""
    bits = np.float64(x).view(np.int64)
    power = (bits - _ROOT_HALF) >> _FRACTION
    f = np.int64(bits - (power << _FRACTION)).view(np.float64) - 1.0
    s, half = f / (2.0 + f), 0.5 * f * f
    z = s * s
    r = z * (_R1 + z * (_R2 + z * (_R3 + z * (_R4 + z * (_R5 + z * (_R6 + z * _R7))))))
    k = float(power)
    return k * _LN2_HIGH - ((half - (s * (half + r) + k * _LN2_LOW)) - f)
