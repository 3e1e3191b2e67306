const IPV4 = /^\d{1,3}(\.\d{1,3}){3}$/;
const IPV6 = /^[0-9a-f:]{2,39}(\d{1,3}(\.\d{1,3}){3})?$/i;

/**
 * Reads an address as frameworks give it: `::ffff:192.0.2.1` for a caller over IPv4 is `192.0.2.1`, a zone is dropped.
 *
 * @returns `undefined` for what is no address: a key that is bound to networks is then refused.
 */
export function toAddress(text: string | undefined): string | undefined {
  const [bare = ""] = (text ?? "").split("%");
  const unmapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1] ?? bare;
  return IPV4.test(unmapped) || (unmapped.includes(":") && IPV6.test(unmapped))
    ? unmapped
    : undefined;
}
