"""Tests, one folder for each package of the project."""
