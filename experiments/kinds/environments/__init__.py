"""Players in other people's environments beside the same games under our own referee."""
