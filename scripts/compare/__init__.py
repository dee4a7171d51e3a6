"""What compare_bytes.py and compare_speed.py share: builds of two trees, small data, and the list of jobs."""
