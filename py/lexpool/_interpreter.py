"""Refusal of interpreters that lexpool does not support."""


def refuse_free_threaded() -> None:
    """Raises ImportError (`free-threaded`) in an interpreter that was built without the GIL."""
    import sysconfig

    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        raise ImportError(
            "[free-threaded] lexpool has not been tested on free-threaded Python and has no build "
            "for it; use an interpreter with the GIL",
            name="lexpool",
        )
