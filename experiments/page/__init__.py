"""What people watch: the page in a browser, its server, recordings, the terminal."""
