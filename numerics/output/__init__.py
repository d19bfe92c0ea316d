"""Output to disk and screen: atomic files, tables, progress, and the style of figures."""
