"""Debug information of containers: SDBG chunks and program databases."""
