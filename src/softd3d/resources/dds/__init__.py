"""DDS files."""
