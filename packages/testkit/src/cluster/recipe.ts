import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Place } from "./place.ts";

const PACKAGING = resolve(import.meta.dirname, "../../../../packaging");
const RECIPES = { haproxy: "haproxy/haproxy.cfg", nginx: "nginx/nginx.conf" } as const;

/** A node as a load balancer sees it. */
export type NodePlace = Place & { port: number; gatewayPort: number };

/**
 * The configuration of `packaging/` in which nothing but addresses and ports is changed. It has three nodes; of others the lines
 * are left out, or are copies.
 *
 * @param input.at - Where the balancer listens.
 * @throws when the recipe has no line for an address: it would then balance something else.
 */
export async function readRecipe(
  name: keyof typeof RECIPES,
  input: { at: NodePlace; nodes: readonly NodePlace[] },
): Promise<string> {
  const text = await readFile(join(PACKAGING, RECIPES[name]), "utf8");
  const isNode = (line: string) => /^ *server .*\b10\.0\.0\.1[123]:/.test(line);
  const lines = text.split("\n").flatMap((line) => {
    if (!isNode(line)) {
      return [toPlace(line, "10.0.0.10", input.at)];
    }
    // Each line of the first node becomes one of every node.
    return line.includes("10.0.0.11:")
      ? input.nodes.map((node, index) =>
          toPlace(line, "10.0.0.11", node).replace("node-1 ", `node-${String(index + 1)} `),
        )
      : [];
  });
  const made = lines.filter((line) => !line.startsWith("#")).join("\n");
  if (/\b10\.0\.0\.1\d:300[01]/.test(made)) {
    throw new Error(`packaging/${RECIPES[name]} has an address that is not replaced.`);
  }
  return made;
}

function toPlace(line: string, address: string, place: NodePlace): string {
  return line
    .replace(`${address}:3000`, `${place.host}:${String(place.port)}`)
    .replace(`${address}:3001`, `${place.host}:${String(place.gatewayPort)}`)
    .replace(" port 3000", ` port ${String(place.port)}`);
}
