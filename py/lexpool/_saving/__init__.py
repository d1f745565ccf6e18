"""Reading and writing of files and bytes: atomic files, JSON, packed files, named parts."""
