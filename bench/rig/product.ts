import { execFile } from "node:child_process";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { SCOPES } from "@turnpike/domain/access/scopes";
import { findFreePort } from "@turnpike/testkit/find-free-port";
import { type Core, type PinnedProcess, startPinned } from "./pinned-process.ts";

/** A data folder that outlives the processes which use it, so that a second start can be measured. */
export type ProductHome = { folder: string; remove(): Promise<void> };

export type Product = PinnedProcess & {
  /** Ports of the listener for people and of the one for programs. */
  port: number;
  gatewayPort: number;
  /** From the start of the process to the first `/health/ready` that says so, seconds. */
  readySeconds: number;
  /** The text of a new service key with every scope. */
  mintServiceKey(): Promise<string>;
};

const CHECKOUT = join(import.meta.dirname, "../..");
const MAIN = join(CHECKOUT, "apps/server/src/main.ts");
const CLI = join(CHECKOUT, "apps/server/src/cli/main.ts");
const READY_TIMEOUT_MS = 120_000;
const HEALTH_TIMEOUT_MS = 5_000;

/** @param config - Text of turnpike.yaml. */
export async function makeProductHome(config = ""): Promise<ProductHome> {
  const folder = await mkdtemp(join(tmpdir(), "turnpike-bench-"));
  // As root, the database runs as a user who must be able to pass.
  await chmod(folder, 0o711);
  await writeFile(join(folder, "turnpike.yaml"), config);
  return { folder, remove: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }) };
}

/** Arguments of Node for every product that a bench starts, such as `--cpu-prof --cpu-prof-dir=/tmp/profiles`. */
const FURTHER_NODE_ARGS = (process.env["BENCH_NODE_ARGS"] ?? "").split(" ").filter(Boolean);

type ProductOptions = {
  core?: Core;
  nodeArgs?: readonly string[];
  /** Free ones unless given. */
  ports?: { port: number; gatewayPort: number };
  /** Further variables, such as `DATABASE_URL`. */
  env?: Readonly<Record<string, string>>;
};

/** What every program on an installation gets. */
function toEnvironment(home: ProductHome, env: ProductOptions["env"] = {}): NodeJS.ProcessEnv {
  return {
    PATH: process.env["PATH"],
    HOME: process.env["HOME"],
    TURNPIKE_DATA_DIR: join(home.folder, "data"),
    TURNPIKE_CONFIG: join(home.folder, "turnpike.yaml"),
    ...env,
  };
}

/**
 * Starts the product as `npm start` does, everything on, database and all on one core unless `core` says otherwise.
 *
 * @throws when it is not ready within two minutes.
 */
export async function startProduct(
  home: ProductHome,
  options: ProductOptions = {},
): Promise<Product> {
  const { port, gatewayPort } = options.ports ?? {
    port: await findFreePort(),
    gatewayPort: await findFreePort(),
  };
  const startedAtMs = performance.now();
  const nodeArgs = [...(options.nodeArgs ?? []), ...FURTHER_NODE_ARGS];
  const running = startPinned([process.execPath, ...nodeArgs, MAIN], {
    core: options.core ?? "server",
    stdout: "pipe",
    env: {
      ...toEnvironment(home, options.env),
      PORT: String(port),
      GATEWAY_PORT: String(gatewayPort),
      TURNPIKE_LOG_LEVEL: "warn",
    },
  });
  try {
    await waitUntilReady(running, port);
  } catch (error) {
    await running.stop();
    throw error;
  }
  const readySeconds = (performance.now() - startedAtMs) / 1000;
  return {
    ...running,
    port,
    gatewayPort,
    readySeconds,
    mintServiceKey: () => mintServiceKey(home, options.env),
  };
}

/**
 * Runs `turnpike`, which joins the database of the running process and acts as the operator.
 *
 * @returns Its standard output.
 * @throws with its standard error, when it fails.
 */
export async function runTurnpike(
  home: ProductHome,
  { args, env }: { args: readonly string[]; env?: ProductOptions["env"] },
): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [CLI, ...args], {
    env: toEnvironment(home, env),
  });
  return stdout;
}

async function mintServiceKey(home: ProductHome, env: ProductOptions["env"]): Promise<string> {
  const scopes = SCOPES.flatMap((scope) => ["--scope", scope]);
  const args = ["--json", "service-keys", "create", "--name", "bench", ...scopes];
  return readText(JSON.parse(await runTurnpike(home, { args, env })), "key");
}

async function waitUntilReady(running: PinnedProcess, port: number): Promise<void> {
  const endsAtMs = performance.now() + READY_TIMEOUT_MS;
  while (performance.now() < endsAtMs) {
    if (running.child.exitCode !== null) {
      throw new Error("The product ended before it was ready.");
    }
    try {
      const answer = await fetch(`http://127.0.0.1:${String(port)}/health/ready`, {
        signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS),
      });
      await answer.arrayBuffer();
      if (answer.ok) {
        return;
      }
    } catch {
      // Not listening yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error("The product was not ready in time.");
}

export type JsonCall = {
  method: string;
  path: string;
  body?: object;
  credential?: string;
  /** Of the body; `application/json` unless given. */
  mediaType?: string;
};

/** Calls the API. @throws when the answer is not a success, with its body. */
export async function callJson(port: number, call: JsonCall): Promise<unknown> {
  const answer = await fetch(`http://127.0.0.1:${String(port)}${call.path}`, {
    method: call.method,
    headers: {
      ...(call.credential === undefined ? {} : { authorization: `Bearer ${call.credential}` }),
      ...(call.body === undefined ? {} : { "content-type": call.mediaType ?? "application/json" }),
    },
    ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
    signal: AbortSignal.timeout(30_000),
  });
  const text = await answer.text();
  if (!answer.ok) {
    throw new Error(`${call.method} ${call.path} answered ${String(answer.status)}: ${text}`);
  }
  return JSON.parse(text);
}

/** Reads a text deep inside an answer. @throws naming the path when there is none. */
export function readText(value: unknown, ...path: readonly string[]): string {
  let inner = value;
  for (const name of path) {
    inner =
      typeof inner === "object" && inner !== null
        ? Object.getOwnPropertyDescriptor(inner, name)?.value
        : undefined;
  }
  if (typeof inner !== "string" && typeof inner !== "number") {
    throw new Error(`The answer has no ${path.join(".")}.`);
  }
  return String(inner);
}
