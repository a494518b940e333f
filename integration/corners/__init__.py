"""The four corners of a car: mechanisms from files, moved to their places and mirrored."""
