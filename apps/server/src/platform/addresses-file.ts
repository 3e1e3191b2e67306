import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

const FILE = "addresses.json";

const addresses = z.object({
  /** How people and programs reach the product; without a slash at the end. */
  console: z.url(),
  gateway: z.url(),
  /** Path and query of a GET that works with any key. */
  samplePath: z.string().startsWith("/"),
  /** The APIs behind the gateway. An address on the command line is in no file of the operator's. */
  upstreams: z.array(z.object({ name: z.string(), url: z.url() })).optional(),
});

/** Where the process that serves an installation is reached: commands, which know no ports, read it. */
export type Addresses = z.infer<typeof addresses>;

export async function writeAddresses(dataFolder: string, value: Addresses): Promise<void> {
  await writeFile(join(dataFolder, FILE), `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
}

/** @returns Those of the newest start; undefined when there was none. */
export async function readAddresses(dataFolder: string): Promise<Addresses | undefined> {
  const text = await readFile(join(dataFolder, FILE), "utf8").catch(() => undefined);
  return text === undefined ? undefined : addresses.parse(JSON.parse(text));
}
