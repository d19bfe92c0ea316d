"""A sequential test of which of two players is stronger, and its calculator for counts that somebody else played."""
