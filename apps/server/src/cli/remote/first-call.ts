import { z } from "zod";
import { quoteWord } from "#platform/quote-word.ts";
import type { RemoteApi } from "./remote-api.ts";

const publicConfig = z.object({ urls: z.object({ gateway: z.string() }) });
const landing = z.object({ samplePath: z.string() });

const HTTP = /^https?:\/\//;
/** Writes a call with a new key that is ready to run; undefined when the installation does not say where calls go. */
export async function findFirstCall(api: RemoteApi, key: string): Promise<string | undefined> {
  try {
    const { urls } = await api.call({ method: "GET", path: "/config.json" }, publicConfig);
    const { samplePath } = await api.call({ method: "GET", path: "/page-data/landing" }, landing);
    const address = urls.gateway + samplePath;
    // An address of another kind could be an option, and the line is made to be pasted into a shell.
    return HTTP.test(address) && /^\w+$/.test(key)
      ? `curl -H "Authorization: Bearer ${key}" ${quoteWord(address)}`
      : undefined;
  } catch {
    // The key is made: what is missing is a convenience.
    return undefined;
  }
}
