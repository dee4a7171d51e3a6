"""What dist.py is made of: packages that are built, and trials of each in a clean environment."""
