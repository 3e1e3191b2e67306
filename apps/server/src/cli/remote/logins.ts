import { mkdir, open, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { RemoteError } from "./remote-error.ts";

const login = z.object({ token: z.string(), email: z.string().nullable() });
export type Login = z.infer<typeof login>;
const loginsFile = z.object({ logins: z.record(z.string(), login) });

const OTHERS = 0o077;

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

/** Keeps who is signed in where, in a file that only its owner can read. */
export type Logins = {
  find(address: string): Promise<Login | undefined>;
  /** The addresses, sorted. */
  list(): Promise<string[]>;
  put(address: string, login: Login): Promise<void>;
  remove(address: string): Promise<void>;
};

/** @param folder - The user's folder for settings of programs; made when first needed. */
export function openLogins(folder: string): Logins {
  const path = join(folder, "turnpike", "logins.json");

  /** @throws {RemoteError} for a file that others can read, or that is none. */
  async function read(): Promise<Record<string, Login>> {
    try {
      const { mode } = await stat(path);
      if (process.platform !== "win32" && (mode & OTHERS) !== 0) {
        throw new RemoteError(`${path} can be read by others. Close it to them: chmod 600 ${path}`);
      }
      const parsed = loginsFile.safeParse(JSON.parse(await readFile(path, "utf8")));
      if (parsed.success) {
        return parsed.data.logins;
      }
    } catch (error) {
      if (isMissing(error)) {
        return {};
      }
      if (!(error instanceof SyntaxError)) {
        throw error;
      }
    }
    throw new RemoteError(`${path} cannot be read. Remove it and sign in again.`);
  }

  /** In one step, so that a stop in between leaves the old file. */
  async function write(logins: Record<string, Login>): Promise<void> {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const draft = `${path}.${String(process.pid)}`;
    const file = await open(draft, "wx", 0o600);
    try {
      await file.writeFile(`${JSON.stringify({ logins }, undefined, 2)}\n`);
      await file.close();
      await rename(draft, path);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  }

  return {
    find: async (address) => (await read())[address],
    list: async () => Object.keys(await read()).sort(),
    put: async (address, made) => write({ ...(await read()), [address]: made }),
    remove: async (address) => {
      const { [address]: _, ...others } = await read();
      await write(others);
    },
  };
}
