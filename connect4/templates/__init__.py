"""Small complete engines in several languages, which a user copies and makes better; `__main__` prints one."""
