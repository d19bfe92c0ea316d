"""Output to disk and screen: atomic files, tables and their sheets, progress, figures and their style."""
