"""What lands on disk: atomic files, tables and the style of figures."""
