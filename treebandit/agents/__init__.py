"""Agents as a service: a program in any language asks for choices by HTTP, and a page shows how they fare."""
