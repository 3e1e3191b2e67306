import { z } from "zod";

/** The form in which browsers send it (WHATWG URL, "origin"); null for what is no address. */
function toOrigin(text: string): string | null {
  return URL.canParse(text) ? new URL(text).origin : null;
}

/** `http://` or `https://`, a host in small letters, a port unless it is the usual one; nothing behind it. */
export const origin = z
  .url({ protocol: /^https?$/, error: "An address such as https://api.example.com." })
  .refine((value) => [value, null].includes(toOrigin(value)), {
    error: ({ input }) =>
      `Scheme, host and port alone, as browsers write them: ${String(toOrigin(String(input)))}.`,
  });
