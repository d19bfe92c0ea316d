"""Compiled code: the `kernel` decorator, its cache, source digests, SIMD vectors and pointers."""
