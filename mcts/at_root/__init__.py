"""What is special to the root of a search: its policy, and priors of its moves by number."""
