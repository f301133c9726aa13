//! Which addresses are on the public internet, and which lead to this machine, to its network, or to the one it runs on.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Networks of version 4 that are not the public internet, by first address and length of the prefix.
const NOT_PUBLIC_4: &[(Ipv4Addr, u32)] = &[
    // This network; 0.0.0.0 is this machine to many systems.
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    // Private.
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    // Shared with the customers of one provider; some clouds keep their metadata there.
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    // This machine.
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    // Link-local, and the metadata of most clouds.
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    // Assigned to protocols; one cloud keeps its metadata there.
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    // For documentation.
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    // Relays from version 6, given up.
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    // For measuring.
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    // Multicast, reserved, broadcast.
    (Ipv4Addr::new(224, 0, 0, 0), 3),
    // The host of a virtual machine at Azure, which answers only to that machine.
    (Ipv4Addr::new(168, 63, 129, 16), 32),
];

/// Networks of version 6 below 2000::/3 that are not the public internet.
const NOT_PUBLIC_6: &[(Ipv6Addr, u32)] = &[
    // Assigned to protocols, Teredo with its address of version 4 among them.
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    // For documentation.
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
    // 6to4, given up, with an address of version 4 in it.
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
];

/// What is given out to be reached from everywhere. Private, link-local, multicast and local addresses are not in it.
const GIVEN_OUT_6: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);
/// Addresses of version 4, as networks of version 6 alone reach them. Nearly every name leads there in such a network.
const NAT64: (Ipv6Addr, u32) = (Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0), 96);

/// Whether an address is on the public internet.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_4(address),
        IpAddr::V6(address) => is_public_6(address),
    }
}

fn is_public_4(address: Ipv4Addr) -> bool {
    !NOT_PUBLIC_4.iter().any(|(network, length)| {
        let mask = u32::MAX.checked_shl(32 - length).unwrap_or(0);
        address.to_bits() & mask == network.to_bits()
    })
}

fn is_public_6(address: Ipv6Addr) -> bool {
    if let Some(inside) = address.to_ipv4_mapped() {
        return is_public_4(inside);
    }
    if is_in(address, &NAT64) {
        let [.., a, b, c, d] = address.octets();
        return is_public_4(Ipv4Addr::new(a, b, c, d));
    }
    is_in(address, &GIVEN_OUT_6) && !NOT_PUBLIC_6.iter().any(|network| is_in(address, network))
}

fn is_in(address: Ipv6Addr, (network, length): &(Ipv6Addr, u32)) -> bool {
    let mask = u128::MAX.checked_shl(128 - length).unwrap_or(0);
    address.to_bits() & mask == network.to_bits()
}
