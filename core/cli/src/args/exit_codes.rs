//! Help on exit codes.

pub(super) const EXIT_CODES: &str = "\
Exit codes:
  0    success, also if the reader of the output closed it early (lexpool ... | head)
  1    an error while reading, tokenizing or writing
  2    wrong usage
  130  interrupted (Ctrl-C)
  143  terminated (SIGTERM)";
