"""Arms whose means change while they are played, a file for each way; they pay by the law of any other arms."""
