import { z } from "zod";
import type { RemoteApi } from "./remote-api.ts";

const publicConfig = z.object({ urls: z.object({ gateway: z.string() }) });
const landing = z.object({ samplePath: z.string() });

/** Writes a call with a new key that is ready to run; undefined when the installation does not say where calls go. */
export async function findFirstCall(api: RemoteApi, key: string): Promise<string | undefined> {
  try {
    const { urls } = await api.call({ method: "GET", path: "/config.json" }, publicConfig);
    const { samplePath } = await api.call({ method: "GET", path: "/page-data/landing" }, landing);
    return `curl -H "Authorization: Bearer ${key}" ${urls.gateway}${samplePath}`;
  } catch {
    // The key is made: what is missing is a convenience.
    return undefined;
  }
}
