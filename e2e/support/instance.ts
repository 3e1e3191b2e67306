import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const SERVER_MAIN = fileURLToPath(new URL("../../apps/server/src/main.ts", import.meta.url));
/** A fresh database is made on the first start; a slow machine takes a while. */
const START_DEADLINE_MS = 90_000;
/** Longer than the product's own drain. */
const STOP_DEADLINE_MS = 30_000;
const POLL_MS = 100;
/** Kept of what the product prints, for the message when it does not start. */
const OUTPUT_CHARACTERS_MAX = 200_000;

/** The real product, running in a process and a data folder of its own. */
export interface Instance extends AsyncDisposable {
  consoleUrl: string;
  gatewayUrl: string;
  dataFolder: string;
  /** Everything it has printed so far, without colours. */
  output(): string;
  /** The setup link that a fresh installation prints. */
  setupLink(): string;
  /** The variables with which a command line talks to this instance. */
  environment: Readonly<Record<string, string>>;
}

/**
 * Starts the product on free ports and waits until it is ready.
 *
 * @param environment - Added to the product's variables.
 * @throws {Error} With what it printed, when it ends or is not ready in time.
 */
export async function startInstance(
  environment: Readonly<Record<string, string>> = {},
): Promise<Instance> {
  const dataFolder = await mkdtemp(join(tmpdir(), "turnpike-e2e-"));
  const [port, gatewayPort] = await findFreePorts();
  const variables = {
    PORT: String(port),
    GATEWAY_PORT: String(gatewayPort),
    TURNPIKE_DATA_DIR: dataFolder,
    ...environment,
  };
  const child = spawn(process.execPath, [SERVER_MAIN], {
    env: { ...withoutProductVariables(process.env), ...variables },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const collect = (chunk: Buffer): void => {
    output = (output + chunk.toString()).slice(-OUTPUT_CHARACTERS_MAX);
  };
  child.stdout.on("data", collect);
  child.stderr.on("data", collect);

  const stop = async (): Promise<void> => {
    await endProcess(child);
    await rm(dataFolder, { recursive: true, force: true });
  };
  const consoleUrl = `http://localhost:${String(port)}`;
  try {
    await waitUntilReady(consoleUrl, child);
  } catch (cause) {
    await stop();
    throw new Error(`The product did not start. It printed:\n${output}`, { cause });
  }
  return {
    consoleUrl,
    gatewayUrl: `http://localhost:${String(gatewayPort)}`,
    dataFolder,
    environment: variables,
    output: () => output,
    setupLink: () => readSetupLink(output),
    [Symbol.asyncDispose]: stop,
  };
}

/** A developer's own settings must not reach the instance under test. */
function withoutProductVariables(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(environment).filter(
      ([name]) => !name.startsWith("TURNPIKE_") && name !== "DATABASE_URL",
    ),
  );
}

function readSetupLink(output: string): string {
  const link = /https?:\/\/\S+\/#setup=[^\s"\\]+/.exec(output)?.[0];
  if (link === undefined) {
    throw new Error(`The product printed no setup link:\n${output}`);
  }
  return link;
}

async function waitUntilReady(consoleUrl: string, child: ChildProcess): Promise<void> {
  const deadline = performance.now() + START_DEADLINE_MS;
  while (performance.now() < deadline) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`It ended with ${String(child.exitCode ?? child.signalCode)}.`);
    }
    const isReady = await fetch(`${consoleUrl}/health/ready`).then(
      (response) => response.ok,
      () => false,
    );
    if (isReady) {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`It was not ready within ${String(START_DEADLINE_MS)} ms.`);
}

async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) {
    return;
  }
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_DEADLINE_MS);
  child.kill("SIGTERM");
  await ended;
  clearTimeout(timer);
}

/** Two ports that nobody listens on; both are held until both are known, so that they differ. */
async function findFreePorts(): Promise<[number, number]> {
  const first = await listenAnywhere();
  const second = await listenAnywhere();
  await Promise.all([first.close(), second.close()]);
  return [first.port, second.port];
}

async function listenAnywhere(): Promise<{ port: number; close: () => Promise<void> }> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") {
    throw new Error("A TCP listener has a port.");
  }
  return {
    port: address.port,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
