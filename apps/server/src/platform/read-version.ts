import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The version of the product, by its manifest. */
export function readVersion(checkout: string): string {
  const manifest: unknown = JSON.parse(readFileSync(join(checkout, "package.json"), "utf8"));
  return typeof manifest === "object" && manifest !== null && "version" in manifest
    ? String(manifest.version)
    : "unknown";
}
