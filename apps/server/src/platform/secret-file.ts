import { randomBytes } from "node:crypto";
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

const SECRET_BYTES = 32;

/**
 * Reads a generated secret from a folder, making it at the first call. Of two processes that race, both get the same one.
 *
 * @returns 256 random bits as base64url.
 */
export async function ensureSecretFile(folder: string, name: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, name);
  const known = await readFile(path, "utf8").catch(() => undefined);
  if (known !== undefined) {
    return known.trim();
  }
  const draft = join(folder, `.${name}-${randomBytes(6).toString("hex")}`);
  await writeFile(draft, randomBytes(SECRET_BYTES).toString("base64url"), {
    mode: 0o600,
    flag: "wx",
  });
  try {
    // A link fails when the name is taken, where a rename would replace the other process's secret.
    await link(draft, path);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) {
      throw error;
    }
  } finally {
    await rm(draft, { force: true });
  }
  return (await readFile(path, "utf8")).trim();
}
