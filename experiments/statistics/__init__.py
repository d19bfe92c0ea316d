"""Statistics: what results say, and how surely; tables and arrays in, numbers out."""
