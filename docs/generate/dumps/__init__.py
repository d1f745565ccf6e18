"""Files that lexpool writes, taken apart byte by byte for the site."""
