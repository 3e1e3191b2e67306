import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pollUntil } from "../poll-until.ts";
import { type LoggedProgram, startLogged } from "./logged-program.ts";
import type { NodePlace } from "./recipe.ts";

const CHECKOUT = resolve(import.meta.dirname, "../../../..");
const MAIN = join(CHECKOUT, "apps/server/src/main.ts");
const READY_DEADLINE_MS = 240_000;
const ASK_TIMEOUT_MS = 5_000;

/** A node of a cluster: the product in a process of its own, with a data folder of its own. */
export type ClusterNode = LoggedProgram & { place: NodePlace; folder: string };

/** What the nodes of a cluster have in common. */
export type NodeSettings = {
  /** Path of turnpike.yaml. */
  configPath: string;
  /** `DATABASE_URL`, the shared secrets and all else that the environment sets. */
  env: Readonly<Record<string, string>>;
};

/** Starts a node; it is ready when {@link awaitReady} says so. */
export async function startNode(
  folder: string,
  place: NodePlace,
  settings: NodeSettings,
): Promise<ClusterNode> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const program = await startLogged({
    command: [process.execPath, "--disable-proto=delete", MAIN],
    place,
    logPath: `${folder}.log`,
    env: {
      TURNPIKE_LOG_LEVEL: "warn",
      ...settings.env,
      TURNPIKE_CONFIG: settings.configPath,
      TURNPIKE_DATA_DIR: folder,
      PORT: String(place.port),
      GATEWAY_PORT: String(place.gatewayPort),
    },
  });
  return { ...program, place, folder };
}

/** True when a node says that it may get traffic. */
export async function isReady({ host, port }: NodePlace): Promise<boolean> {
  try {
    const reply = await fetch(`http://${host}:${String(port)}/health/ready`, {
      signal: AbortSignal.timeout(ASK_TIMEOUT_MS),
    });
    await reply.body?.cancel();
    return reply.status === 200;
  } catch {
    return false;
  }
}

/** @throws when the node ends before, with the place of its log. */
export async function awaitReady(node: ClusterNode, signal?: AbortSignal): Promise<void> {
  await pollUntil(
    `the node of ${node.folder} is ready`,
    async () => {
      signal?.throwIfAborted();
      if (node.hasEnded()) {
        throw new Error(`A node ended (${await node.ended}); its log is ${node.logPath}`);
      }
      return await isReady(node.place);
    },
    READY_DEADLINE_MS,
  );
}
