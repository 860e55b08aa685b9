"""What an error of the file system means to the one who gave the command."""

import errno

_FULL = (errno.ENOSPC, errno.EDQUOT)
_IN_THE_WAY = (errno.EACCES, errno.EPERM, errno.EROFS, errno.EEXIST, errno.ENOTDIR, errno.EISDIR)


def explain(error: OSError):
    """What to mend; None where it is more likely that the code has to be mended."""
    if error.errno in _FULL:
        return "The disk is full. Make room, and start again: what was half written is made anew."
    if error.errno in _IN_THE_WAY and error.filename is not None:
        return "{}: {}. Builds write to site/ and .cache/: make it writable, or delete it.".format(
            error.filename, error.strerror
        )
    return None
