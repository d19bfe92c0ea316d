"""Tests of `bandits`: rules, the simulation kernel, arms, policies, tables."""
