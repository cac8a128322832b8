"""The DXBC container itself: header, chunk table, checksum, editing, finding containers."""
