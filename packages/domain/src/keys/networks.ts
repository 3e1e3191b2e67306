/** A list of networks to compare addresses with, created once by {@link compileNetworks}. */
export type Networks = {
  /**
   * True for an address inside one of the networks; false for one outside, and for a text that is not an address. Allocates
   * nothing and reads at most 64 characters.
   */
  has(address: string): boolean;
};

/** Four 32-bit words, most significant first; an IPv4 address is the last of them. */
type Words = Uint32Array;
type Version = 4 | 6;
type Network = { version: Version; words: Words; masks: Words; prefix: number };

/** Longer than any spelling of an address, including one with a zone. */
const ADDRESS_LENGTH_MAX = 64;
const COLON = 0x3a;
const DOT = 0x2e;
const SCRATCH: Words = new Uint32Array(4);
const GROUPS = new Uint16Array(8);

function digitOf(char: number): number {
  return char >= 0x30 && char <= 0x39 ? char - 0x30 : -1;
}

function hexOf(char: number): number {
  const lower = char | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : digitOf(char);
}

/** Reads `a.b.c.d` from `start` to the end; -1 when it is not one. Leading zeros are refused, since some programs read octal. */
function readIpv4(text: string, start: number): number {
  let value = 0;
  let parts = 0;
  let part = -1;
  for (let at = start; at <= text.length; at += 1) {
    const char = at === text.length ? DOT : text.charCodeAt(at);
    if (char === DOT) {
      if (part < 0 || parts === 4) {
        return -1;
      }
      value = value * 256 + part;
      parts += 1;
      part = -1;
      continue;
    }
    const digit = digitOf(char);
    if (digit < 0 || part === 0) {
      return -1;
    }
    part = part < 0 ? digit : part * 10 + digit;
    if (part > 255) {
      return -1;
    }
  }
  return parts === 4 ? value : -1;
}

/** Moves the groups after `::` to the end and fills the gap with zeros. */
function spreadGroups(count: number, gapAt: number): void {
  const moved = count - gapAt;
  for (let index = 1; index <= moved; index += 1) {
    GROUPS[8 - index] = GROUPS[count - index] ?? 0;
  }
  GROUPS.fill(0, gapAt, 8 - moved);
}

/** Reads eight groups into `GROUPS`, with or without `::`; the last two may be written as IPv4. */
function readGroups(text: string): boolean {
  let count = 0;
  let gapAt = -1;
  let at = 0;
  if (text.charCodeAt(0) === COLON) {
    if (text.charCodeAt(1) !== COLON) {
      return false;
    }
    gapAt = 0;
    at = 2;
  }
  while (at < text.length) {
    const start = at;
    let group = 0;
    while (at < text.length && at - start < 4 && hexOf(text.charCodeAt(at)) >= 0) {
      group = group * 16 + hexOf(text.charCodeAt(at));
      at += 1;
    }
    if (at === start || count === 8) {
      return false;
    }
    if (text.charCodeAt(at) === DOT) {
      const ipv4 = count <= 6 ? readIpv4(text, start) : -1;
      if (ipv4 < 0) {
        return false;
      }
      GROUPS[count] = Math.floor(ipv4 / 0x10000);
      GROUPS[count + 1] = ipv4 % 0x10000;
      count += 2;
      break;
    }
    GROUPS[count] = group;
    count += 1;
    if (at === text.length) {
      break;
    }
    if (text.charCodeAt(at) !== COLON) {
      return false;
    }
    at += 1;
    if (text.charCodeAt(at) === COLON) {
      if (gapAt >= 0) {
        return false;
      }
      gapAt = count;
      at += 1;
    } else if (at === text.length) {
      return false;
    }
  }
  if (gapAt < 0) {
    return count === 8;
  }
  if (count > 7) {
    return false;
  }
  spreadGroups(count, gapAt);
  return true;
}

/** Reads an address into `SCRATCH`. @returns Its version; an IPv4-mapped one (`::ffff:192.0.2.1`) is IPv4; 0 for none. */
function readAddress(text: string): Version | 0 {
  if (text.length < 2 || text.length > ADDRESS_LENGTH_MAX) {
    return 0;
  }
  if (!text.includes(":")) {
    const ipv4 = readIpv4(text, 0);
    SCRATCH.fill(0);
    SCRATCH[3] = Math.max(0, ipv4);
    return ipv4 < 0 ? 0 : 4;
  }
  if (!readGroups(text)) {
    return 0;
  }
  for (let index = 0; index < 4; index += 1) {
    SCRATCH[index] = (GROUPS[index * 2] ?? 0) * 0x10000 + (GROUPS[index * 2 + 1] ?? 0);
  }
  if (SCRATCH[0] === 0 && SCRATCH[1] === 0 && SCRATCH[2] === 0xffff) {
    SCRATCH[2] = 0;
    return 4;
  }
  return 6;
}

/** True for an IPv4 or IPv6 address in any spelling, without a zone, a port or brackets. */
export function isAddress(text: string): boolean {
  return readAddress(text) !== 0;
}

function maskOf(version: Version, prefix: number): Words {
  const bits = version === 4 ? prefix + 96 : prefix;
  return Uint32Array.from({ length: 4 }, (_, index) => {
    const ones = Math.min(32, Math.max(0, bits - index * 32));
    return ones === 0 ? 0 : (0xffffffff << (32 - ones)) >>> 0;
  });
}

function readNetwork(text: string): Network | undefined {
  const slash = text.indexOf("/");
  const address = slash === -1 ? text : text.slice(0, slash);
  const version = readAddress(address);
  if (version === 0) {
    return;
  }
  // `::ffff:192.0.2.0/120` is written with the bits of IPv6 and means an IPv4 network.
  const isMapped = version === 4 && address.includes(":");
  const bitsMax = version === 4 && !isMapped ? 32 : 128;
  const suffix = slash === -1 ? String(bitsMax) : text.slice(slash + 1);
  if (!/^(?:0|[1-9]\d{0,2})$/.test(suffix) || Number(suffix) > bitsMax) {
    return;
  }
  const prefix = isMapped ? Number(suffix) - 96 : Number(suffix);
  if (prefix < 0) {
    return;
  }
  const masks = maskOf(version, prefix);
  const words = SCRATCH.map((word, index) => (word & (masks[index] ?? 0)) >>> 0);
  return { version, words, masks, prefix };
}

/** The longest run of two or more zero groups, the first among equals (RFC 5952, section 4.2). */
function findGap(groups: readonly number[]): { start: number; length: number } {
  let best = { start: 0, length: 1 };
  let start = 0;
  for (const [index, group] of groups.entries()) {
    if (group !== 0) {
      start = index + 1;
    } else if (index + 1 - start > best.length) {
      best = { start, length: index + 1 - start };
    }
  }
  return best;
}

function formatAddress({ version, words }: Network): string {
  if (version === 4) {
    const word = words[3] ?? 0;
    return [24, 16, 8, 0].map((shift) => String((word >>> shift) & 0xff)).join(".");
  }
  const groups = [...words].flatMap((word) => [word >>> 16, word & 0xffff]);
  const gap = findGap(groups);
  const hex = (part: readonly number[]) => part.map((group) => group.toString(16)).join(":");
  return gap.length < 2
    ? hex(groups)
    : `${hex(groups.slice(0, gap.start))}::${hex(groups.slice(gap.start + gap.length))}`;
}

/**
 * Writes a network in the canonical form that is stored and shown: its first address in the shortest form, and its length.
 *
 * Example: `10.1.2.3/8` gives `10.0.0.0/8`, `2001:DB8:0::1` gives `2001:db8::1/128`, `::ffff:192.0.2.0/120` gives
 * `192.0.2.0/24`.
 *
 * @param text - An address, or a range in CIDR notation, IPv4 or IPv6.
 * @returns `undefined` when it is neither.
 */
export function toCanonicalNetwork(text: string): string | undefined {
  const network = readNetwork(text.trim());
  return network === undefined ? undefined : `${formatAddress(network)}/${String(network.prefix)}`;
}

/**
 * Compiles a list of networks for comparison. IPv4-mapped addresses are compared as IPv4; an IPv6 network contains no IPv4
 * address.
 *
 * @param cidrs - As {@link toCanonicalNetwork} writes them; an empty list contains no address.
 * @throws {RangeError} for an entry that is not a network.
 */
export function compileNetworks(cidrs: readonly string[]): Networks {
  const networks = cidrs.map((cidr) => {
    const network = readNetwork(cidr);
    if (network === undefined) {
      throw new RangeError(`"${cidr}" is not a network.`);
    }
    return network;
  });
  function isInside({ words, masks }: Network): boolean {
    for (let index = 0; index < 4; index += 1) {
      if (((SCRATCH[index] ?? 0) & (masks[index] ?? 0)) >>> 0 !== words[index]) {
        return false;
      }
    }
    return true;
  }
  return {
    has(address) {
      const version = readAddress(address);
      if (version === 0) {
        return false;
      }
      for (const network of networks) {
        if (network.version === version && isInside(network)) {
          return true;
        }
      }
      return false;
    },
  };
}
