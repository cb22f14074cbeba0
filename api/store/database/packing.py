"""Compression of positions and of private parts of entries, which moves also write to the database's WAL.

They are JSON with much the same members in all games, so they are compressed with a fixed dictionary of such
members; and the shares of a private part are nearly equal. They are packed before they are sealed. The
length of a sealed value is visible, with or without packing.
"""

from __future__ import annotations

import zlib

MARK = b"\x02"  # neither JSON text nor a sealed value begins with it
WINDOW = -12  # raw, and 4 KiB: a position is shorter, and the window is copied each time
# What is packed with this text can only be unpacked with it: another text needs another mark.
MEMBERS = (
    b'"2C","3C","4C","5C","6C","7C","8C","9C","TC","JC","QC","KC","AC","2D","3D","4D","5D","6D","7D","8D","9D",'
    b'"TD","JD","QD","KD","AD","2H","3H","4H","5H","6H","7H","8H","9H","TH","JH","QH","KH","AH","2S","3S","4S",'
    b'"5S","6S","7S","8S","9S","TS","JS","QS","KS","AS"],"C1","C2","C3","C4","C5","C6","C7","C8","C9","D1",'
    b'"D2","D3","D4","D5","D6","D7","D8","D9","options":{"target":12,"move_limit":0,"must_play":true},'
    b'"draw":["table":["played":["discard":[],"pile":[],"removed":[]},"stock":["up.0":["up.1":["up.2":["down.0":['
    b'"down.1":["down.2":["zones":{"hand.0":["hand.1":["hand.2":["hand.3":["trick":[],"won.0":[],"won.1":[],'
    b'"won.2":[],"won.3":[],"out":[]},"facts":{"dealer":0,"turn":0,"turns":1,"trump":null,"attack":null,'
    b'"round":1,"leader":0,"recent":[0,1]},"scores":[0,0,0,0],"result":null}'
    b'{"ruleset":"","version":1,"seats":3,"options":{},"phase":"play","to_act":[0],"zones":{'
)
_packer = zlib.compressobj(3, wbits=WINDOW, memLevel=5, zdict=MEMBERS)


def pack(text: str) -> bytes:
    """Return the packed form of a text."""
    packer = _packer.copy()
    return MARK + packer.compress(text.encode()) + packer.flush()


def unpack(packed: bytes) -> str:
    """Return the text of a stored value, which may be packed or plain. Raises ValueError."""
    if packed[:1] != MARK:
        return packed.decode()
    try:
        return zlib.decompressobj(WINDOW, zdict=MEMBERS).decompress(packed[1:]).decode()
    except zlib.error as error:
        raise ValueError("what was kept cannot be unpacked") from error
