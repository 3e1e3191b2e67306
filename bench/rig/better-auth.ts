import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensurePeer } from "@turnpike/testkit/install-peer";
import { startHelper } from "./helper-program.ts";
import { nextMessage, type PinnedProcess } from "./pinned-process.ts";

export type BetterAuth = PinnedProcess & {
  port: number;
  /** One verification of each key, as {@link LoadOrder} wants them. */
  requests: string[];
  /** Calls that its database has counted so far. */
  countClaimed(): Promise<number>;
};

const KEYS_TIMEOUT_MS = 120_000;
const ANSWER_TIMEOUT_MS = 10_000;

function toRequest(key: string): string {
  const body = JSON.stringify({ key });
  return [
    "POST /verify HTTP/1.1",
    "Host: 127.0.0.1",
    "Content-Type: application/json",
    `Content-Length: ${String(body.length)}`,
    "",
    body,
  ].join("\r\n");
}

/**
 * Starts better-auth's API-key plugin with a database of its own on the servers' core, and makes its keys.
 *
 * @throws {PeerUnavailableError} when it is not installed and cannot be.
 */
export async function startBetterAuth(input: {
  keys: number;
  note: (text: string) => void;
}): Promise<BetterAuth> {
  await ensurePeer("better-auth", input.note);
  const folder = await mkdtemp(join(tmpdir(), "turnpike-bench-peer-"));
  // As root, the database runs as a user who must be able to pass.
  await chmod(folder, 0o711);
  const removeFolder = () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
  try {
    const args = [folder, String(input.keys)];
    const running = await startHelper("peer-better-auth", {
      core: "server",
      args,
      readyTimeoutMs: KEYS_TIMEOUT_MS,
    });
    const ask = async (question: "keys" | "claimed"): Promise<unknown> => {
      const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
      const answered = nextMessage(running.child, { who: "better-auth", signal });
      running.child.send(question);
      return await answered;
    };
    const keys = await ask("keys");
    if (!Array.isArray(keys) || keys.length !== input.keys) {
      await running.stop();
      throw new Error("better-auth did not make the keys it was asked for.");
    }
    return {
      ...running,
      requests: keys.map((key) => toRequest(String(key))),
      countClaimed: async () => Number(await ask("claimed")),
      stop: async () => {
        await running.stop();
        await removeFolder();
      },
    };
  } catch (error) {
    await removeFolder();
    throw error;
  }
}
