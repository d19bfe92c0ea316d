"""The kernels of best-arm identification: likelihood ratios, confidence bounds, and runs that end by themselves."""
