"""XXH3 from the system's library, for second implementations in Python."""

import ctypes
import ctypes.util

import pytest


class Halves(ctypes.Structure):
    _fields_ = (("low", ctypes.c_uint64), ("high", ctypes.c_uint64))


@pytest.fixture(scope="module")
def xxh3():
    name = ctypes.util.find_library("xxhash")
    if name is None:
        pytest.skip("libxxhash is not on this machine")
    library = ctypes.CDLL(name)
    library.XXH3_128bits.restype = Halves
    library.XXH3_128bits.argtypes = (ctypes.c_char_p, ctypes.c_size_t)
    return lambda data: library.XXH3_128bits(data, len(data))
