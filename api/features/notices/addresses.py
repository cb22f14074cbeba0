"""Decides which addresses are public, so that webhooks may be sent to them.

The list is our own, because Python's `ipaddress` only knows the registries at the time of its release: 3.11
calls several special-purpose blocks public.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

# IANA IPv4 Special-Purpose Address Registry, multicast, and a cloud's own service address
DENIED_4 = [
    IPv4Network(block)
    for block in (
        "0.0.0.0/8",  # "this network"
        "10.0.0.0/8",  # private use
        "100.64.0.0/10",  # shared address space
        "127.0.0.0/8",  # loopback
        "168.63.129.16/32",  # Azure's virtual machines reach their host here
        "169.254.0.0/16",  # link-local, metadata services of clouds
        "172.16.0.0/12",  # private use
        "192.0.0.0/24",  # IETF protocol assignments
        "192.0.2.0/24",  # documentation
        "192.31.196.0/24",  # AS112
        "192.52.193.0/24",  # AMT
        "192.88.99.0/24",  # relays of 6to4
        "192.168.0.0/16",  # private use
        "192.175.48.0/24",  # AS112
        "198.18.0.0/15",  # benchmarking
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, broadcast
    )
]
# IANA IPv6 Special-Purpose Address Registry. Only 2000::/3 is given out, so everything outside of it is
# denied: loopback, IPv4-compatible and -translated, local NAT64, discard, segment routing, unique local,
# link-local, site-local, multicast.
DENIED_6 = [
    IPv6Network(block)
    for block in (
        "::/3",
        "4000::/2",
        "8000::/1",
        "2001::/23",  # IETF protocol assignments: Teredo, benchmarking, ORCHID and others
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4, which leads to any IPv4 address
        "2620:4f:8000::/48",  # AS112
        "3fff::/20",  # documentation
    )
]
# An address that embeds an IPv4 address is as public as that one.
MAPPED, NAT64 = IPv6Network("::ffff:0:0/96"), IPv6Network("64:ff9b::/96")
ISATAP = (0x00005EFE, 0x02005EFE)  # before an IPv4 address, after any prefix


def is_public(text: str) -> bool:
    """Return whether an address is public and not special in any way."""
    address = ip_address(text.partition("%")[0])
    if isinstance(address, IPv4Address):
        return not any(address in block for block in DENIED_4)
    inner = IPv4Address(int(address) & 0xFFFFFFFF)
    if address in MAPPED or address in NAT64:
        return is_public(str(inner))
    if _isatap(address) and not is_public(str(inner)):
        return False
    return not any(address in block for block in DENIED_6)


def _isatap(address: IPv6Address) -> bool:
    return int(address) >> 32 & 0xFFFFFFFF in ISATAP
