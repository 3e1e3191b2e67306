import { randomBytes } from "node:crypto";
import { link, mkdir, open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { StartupError } from "./startup-error.ts";

const SECRET_BYTES = 32;
/** Characters; what is shorter was cut off or put there by mistake, and would sign with next to nothing. */
const SECRET_LENGTH_MIN = 32;

function parseSecret(path: string, text: string): string {
  const secret = text.trim();
  if (secret.length < SECRET_LENGTH_MIN) {
    throw new StartupError({
      code: "SECRET_FILE_UNUSABLE",
      message: `The file ${path} holds no secret of at least ${String(SECRET_LENGTH_MIN)} characters`,
      hint: "Restore it from a backup, or delete it to have a new one made",
    });
  }
  return secret;
}

/** @returns Undefined when there is no such file: what is there and cannot be read must not be taken for missing. */
async function readSecret(path: string): Promise<string | undefined> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") {
      return undefined;
    }
    throw new StartupError({
      code: "SECRET_FILE_UNUSABLE",
      message: `The file ${path} cannot be read (${error.message})`,
      hint: "Make it readable for the user who starts Turnpike",
      cause: error,
    });
  });
  return text === undefined ? undefined : parseSecret(path, text);
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * Reads a generated secret from a folder, making it at the first call. Of two processes that race, both get the same one.
 *
 * @returns 256 random bits as base64url, or the secret that is already there.
 * @throws {StartupError} `SECRET_FILE_UNUSABLE` when the file cannot be read, or holds less than a secret.
 */
export async function ensureSecretFile(folder: string, name: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, name);
  const known = await readSecret(path);
  if (known !== undefined) {
    return known;
  }
  const draft = join(folder, `.${name}-${randomBytes(6).toString("hex")}`);
  await writeDurably(draft, randomBytes(SECRET_BYTES).toString("base64url"));
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
  return parseSecret(path, await readFile(path, "utf8"));
}
