"""Players in other people's environments, and the same games under this project's referee."""
