import { UsageError } from "../usage-error.ts";

const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Reads the address of an installation as it is stored: without a slash at the end.
 *
 * @throws {UsageError} for no address, and for one that would send credentials in the clear.
 */
export function parseRemoteAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol) || url.username !== "") {
    throw new UsageError(`"${text}" is not an address such as https://console.example.com`);
  }
  if (url.protocol === "http:" && !LOOPBACK.test(url.hostname)) {
    throw new UsageError(
      `${url.origin} would send your credential in the clear: use the https address`,
    );
  }
  return url.origin + url.pathname.replace(/\/+$/, "");
}
