const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

/** The only IPv6 parser that all platforms share is that of URLs. */
function isIpv6(text: string): boolean {
  return /^[0-9a-f:.]{2,45}$/i.test(text) && text.includes(":") && URL.canParse(`http://[${text}]`);
}

/**
 * Reads an address as frameworks give it: `::ffff:192.0.2.1` for a caller over IPv4 is `192.0.2.1`, a zone is dropped.
 *
 * @returns `undefined` for what is no address: a key that is bound to networks is then refused.
 */
export function toAddress(text: string | undefined): string | undefined {
  const [bare = ""] = (text ?? "").split("%");
  const unmapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1] ?? bare;
  return IPV4.test(unmapped) || isIpv6(unmapped) ? unmapped : undefined;
}
