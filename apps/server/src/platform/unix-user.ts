import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The numbers under which a child process runs. */
export type UnixUser = { uid: number; gid: number };

/** Seconds would be a hung directory service; the tools below answer in milliseconds. */
const TOOL_TIMEOUT_MS = 5_000;

async function readId(flag: "-g" | "-u", name: string): Promise<number> {
  const { stdout } = await run("id", [flag, name], { timeout: TOOL_TIMEOUT_MS });
  return Number.parseInt(stdout, 10);
}

/** Finds a user of the system by name, through `id`, so that directory services count too. */
export async function findUser(name: string): Promise<UnixUser | undefined> {
  try {
    const [uid, gid] = await Promise.all([readId("-u", name), readId("-g", name)]);
    return Number.isInteger(uid) && Number.isInteger(gid) ? { uid, gid } : undefined;
  } catch {
    // `id` fails for a name it does not know; there is nothing else to learn from it.
    return undefined;
  }
}

/** The name of a user for messages, or `uid N` when the system has none for it. */
export async function describeUser(uid: number): Promise<string> {
  try {
    const { stdout } = await run("id", ["-un", String(uid)], { timeout: TOOL_TIMEOUT_MS });
    return stdout.trim();
  } catch {
    return `uid ${uid}`;
  }
}

/**
 * Asks the kernel, as that user, whether it may read (`-r`), write (`-w`) or enter (`-x`) a path. Modes, access lists and
 * every folder above count, which no reading of mode bits would get right.
 */
export async function canUserAccess(
  user: UnixUser,
  access: "-r" | "-w" | "-x",
  path: string,
): Promise<boolean> {
  try {
    await run("test", [access, path], { ...user, cwd: "/", timeout: TOOL_TIMEOUT_MS });
    return true;
  } catch {
    return false;
  }
}
