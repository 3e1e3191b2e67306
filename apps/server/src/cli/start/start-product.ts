import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { IS_PUBLISHED } from "#platform/published.ts";
import { watchNpm } from "#platform/watch-npm.ts";
import { type Config, type GivenUpstream, readConfig } from "../../config.ts";
import { runProduct } from "../../run-product.ts";
import { toFirstScreen } from "./first-screen.ts";
import { pickPorts } from "./pick-ports.ts";

export type StartRequest = {
  /** Undefined: what turnpike.yaml names, or the demo API. */
  upstream: GivenUpstream | undefined;
  /** Undefined: by the environment, or found. */
  port: number | undefined;
  gatewayPort: number | undefined;
  /** Absolute path; undefined: by the environment, or the default. */
  dataFolder: string | undefined;
};

type Surroundings = {
  env: Readonly<Record<string, string | undefined>>;
  isRoot: boolean;
  workingFolder: string;
  /** A person reads the output: the log says less. */
  isTerminal: boolean;
};

const CONNECT_MS = 2_000;

function portOf(url: string): number {
  const { port, protocol } = new URL(url);
  return port === "" ? ({ "http:": 80, "https:": 443 }[protocol] ?? 0) : Number(port);
}

/** Whether something takes a connection there. */
async function isAnswering(url: string): Promise<boolean> {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "");
  const socket = connect({ host, port: portOf(url), timeout: CONNECT_MS });
  try {
    return await new Promise<boolean>((resolve) => {
      socket.once("connect", () => resolve(true));
      socket.once("timeout", () => resolve(false));
      socket.once("error", () => resolve(false));
    });
  } finally {
    socket.destroy();
  }
}

/** Ports that were asked for, on the command line or by the environment, are taken as they are. */
async function choosePorts(
  request: StartRequest,
  { env }: Surroundings,
  config: Config,
): Promise<Pick<Config, "port" | "gatewayPort">> {
  const isSet = (name: string) => env[name] !== undefined && env[name] !== "";
  const { port, gatewayPort } = request;
  if (port !== undefined) {
    return { port, gatewayPort: gatewayPort ?? (port === 0 ? 0 : port + 1) };
  }
  if (isSet("PORT") || isSet("GATEWAY_PORT") || config.publicUrls.console !== undefined) {
    return { port: config.port, gatewayPort: gatewayPort ?? config.gatewayPort };
  }
  const { upstream } = request;
  const found = await pickPorts(upstream === undefined ? undefined : portOf(upstream.url));
  return { port: found.people, gatewayPort: gatewayPort ?? found.programs };
}

/** What lies in a folder of the person's own, often a repository, is not to be committed with the rest. */
async function hideFromGit(dataFolder: string): Promise<void> {
  const file = join(dataFolder, ".gitignore");
  if (IS_PUBLISHED && !existsSync(file)) {
    await writeFile(file, "*\n");
  }
}

/**
 * Starts the product and prints where to go once it is ready. It runs until a signal ends the process.
 *
 * @throws {StartupError} When it does not start.
 */
export async function startProduct(
  request: StartRequest,
  surroundings: Surroundings,
): Promise<void> {
  const { env, isRoot, workingFolder, isTerminal } = surroundings;
  const { dataFolder, upstream } = request;
  // The signal is heard like that of a person, also during the start.
  watchNpm(env["npm_lifecycle_event"] !== undefined, () => process.kill(process.pid, "SIGTERM"));
  const read = readConfig(
    dataFolder === undefined ? env : { ...env, TURNPIKE_DATA_DIR: dataFolder },
    { isRoot, workingFolder, upstream },
  );
  const isQuiet = isTerminal && !env["TURNPIKE_LOG_LEVEL"] && read.logLevel === "info";
  const config = {
    ...read,
    ...(await choosePorts(request, surroundings, read)),
    ...(isQuiet && { logLevel: "warn" }),
  };
  const address = config.upstreams?.[0]?.url;
  const look = {
    isAnswering: address === undefined || (await isAnswering(address)),
  };
  await runProduct(config, (readiness) => toFirstScreen(readiness, look));
  await hideFromGit(config.dataFolder);
}
