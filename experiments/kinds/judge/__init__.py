"""The judge of an engine: its moves by exact scores, compared with known engines."""
