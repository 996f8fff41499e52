"""`flgc benchmark`: this library against others, side by side in one run."""
