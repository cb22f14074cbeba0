"""Which public keys players may use."""

import re

_hex = re.compile("[0-9a-f]{64}").fullmatch
_P = 2**255 - 19
# The y of the points of order 8 or less: a signature by such a key fits many messages.
_WEAK = {
    0,
    1,
    _P - 1,
    0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826,
    0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD84D3D706A17C7,
}


def is_key(text: object) -> bool:
    """Return whether this is an Ed25519 public key, in hex, that a seat may have (not of small order)."""
    if type(text) is not str or not _hex(text):
        return False
    y = int.from_bytes(bytes.fromhex(text), "little") % 2**255
    return y < _P and y not in _WEAK
