import { once } from "node:events";
import { chmod, mkdir, readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Cluster, type ClusterPlaces, startCluster } from "@turnpike/testkit/cluster/cluster";
import { hasProgram } from "@turnpike/testkit/cluster/logged-program";
import { THIS_MACHINE } from "@turnpike/testkit/cluster/place";
import type { NodePlace } from "@turnpike/testkit/cluster/recipe";
import { VALKEY_MISSING } from "@turnpike/testkit/valkey-server";
import { systemClock } from "../apps/server/src/platform/clock.ts";
import { resolveDataFolder } from "../apps/server/src/platform/data-folder.ts";
import { FolderInUseError, lockFolder } from "../apps/server/src/platform/folder-lock.ts";
import { probePort } from "../apps/server/src/platform/listen.ts";
import { StartupError, toStartupLine } from "../apps/server/src/platform/startup-error.ts";
import { onStopSignal } from "../apps/server/src/platform/stop-signals.ts";

const HELP = `Usage: npm run cluster -- [options]

Starts three nodes of Turnpike on this machine for a look: PostgreSQL with a synchronous standby, Valkey or Redis for rate
limits where it is installed, the nodes with folders of their own, and HAProxy in front of them with the configuration of
packaging/haproxy. Ctrl+C ends all of it; the same command goes on where it was.

  --data <folder>   where everything is kept (default: beside the data folder of \`npm start\`, with -cluster behind its name)
  --port <n>        port of the console (default: 3000); the gateway has the next one, and what is behind them ports up to 61
                    higher

Try: end a node by its pid, and the others serve on; end the primary, and the standby takes over.`;

const PORT_DEFAULT = 3_000;
const PORT_MAX = 65_000;
const NODES = 3;
/** Behind `--port`: the nodes on +10, +20 and +30, each with the gateway on the next one; the servers of PostgreSQL. */
const NODE_STEP = 10;
const POSTGRES_STEPS = [51, 52] as const;
const VALKEY_STEP = 61;
const CHECKOUT = resolve(import.meta.dirname, "..");

class UsageError extends Error {
  override readonly name = "UsageError";
}

type Options = { folder: string; port: number };

function parseOptions(args: readonly string[]): Options | "help" {
  const { values } = parseKnown(args);
  if (values.help) {
    return "help";
  }
  const port = values.port === undefined ? PORT_DEFAULT : Number(values.port);
  if (!Number.isInteger(port) || port < 1 || port > PORT_MAX) {
    throw new UsageError(`--port takes a whole number from 1 to ${String(PORT_MAX)}.`);
  }
  const isRoot = process.getuid?.() === 0;
  const folder =
    values.data === undefined
      ? `${resolveDataFolder({ home: CHECKOUT, isRoot })}-cluster`
      : resolve(values.data);
  return { folder, port };
}

function parseKnown(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        help: { type: "boolean", short: "h", default: false },
        data: { type: "string" },
        port: { type: "string" },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

const toBalancer = (port: number): NodePlace => ({ ...THIS_MACHINE, port, gatewayPort: port + 1 });

function toPlaces(port: number): ClusterPlaces {
  const [first, second] = POSTGRES_STEPS;
  return {
    nodes: Array.from({ length: NODES }, (_, index) => {
      const own = port + NODE_STEP * (index + 1);
      return { ...THIS_MACHINE, port: own, gatewayPort: own + 1 };
    }),
    postgres: [
      { ...THIS_MACHINE, port: port + first },
      { ...THIS_MACHINE, port: port + second },
    ],
    ...(VALKEY_MISSING === undefined && {
      valkey: { ...THIS_MACHINE, port: port + VALKEY_STEP },
    }),
  };
}

/** A server of PostgreSQL that a killed run left behind is taken over; anything else must be free. */
async function assertPortsFree(places: readonly NodePlace[]): Promise<void> {
  for (const { host, port, gatewayPort } of places) {
    await probePort({ port, host, variable: "--port" });
    await probePort({ port: gatewayPort, host, variable: "--port" });
  }
}

async function lock(folder: string) {
  await mkdir(folder, { recursive: true });
  // As root, the databases run as a user who must be able to pass.
  await chmod(folder, 0o711);
  try {
    return await lockFolder(folder);
  } catch (error) {
    if (error instanceof FolderInUseError) {
      throw new StartupError({
        code: "DATA_FOLDER_IN_USE",
        message: `Another cluster runs in ${folder}`,
        hint: "End it, or name another folder with --data",
        cause: error,
      });
    }
    throw error;
  }
}

const toAddress = (port: number) => `http://localhost:${String(port)}`;

const toConfigText = ({ port }: Options) => `# Of all nodes of this cluster.
trustedProxies: [127.0.0.1]
rateLimits:
  store: ${VALKEY_MISSING === undefined ? "valkey" : "postgres"}
publicUrls:
  gateway: ${toAddress(port + 1)}
`;

/** The link that makes the first person the operator, while there is none: the newest in the log of a node; all have the same. */
async function findSetupLink(cluster: Cluster): Promise<string | undefined> {
  const log = await readFile(cluster.nodes.at(-1)?.logPath ?? "", "utf8").catch(() => "");
  const banner = log.slice(log.lastIndexOf("  Console "));
  return /Setup +(\S+)/.exec(banner)?.[1];
}

async function describe(cluster: Cluster, options: Options): Promise<string> {
  const setup = await findSetupLink(cluster);
  const { primary, standby } = cluster.postgres;
  const balanced =
    cluster.balancer === undefined
      ? [
          "  HAProxy is not installed (apt-get install haproxy): use the addresses of the nodes.",
          "  Signing in works at the console's address alone, which HAProxy would serve.",
        ]
      : [
          `  Console     ${toAddress(options.port)}`,
          `  Gateway     ${toAddress(options.port + 1)}`,
          `  HAProxy     pid ${String(cluster.balancer.pid)}, calls of one key go to one node`,
        ];
  return [
    "The cluster is ready.",
    ...balanced,
    ...cluster.nodes.map(
      ({ place, pid }, index) =>
        `  Node ${String(index + 1)}      ${toAddress(place.port)}, gateway ${toAddress(place.gatewayPort)}, pid ${String(pid)}`,
    ),
    `  Primary     PostgreSQL on port ${String(primary.place.port)}, pid ${String(primary.pid)}`,
    `  Standby     PostgreSQL on port ${String(standby.place.port)}, pid ${String(standby.pid)}, synchronous`,
    cluster.valkey === undefined
      ? "  Rates       in PostgreSQL: neither Valkey nor Redis is installed (apt-get install redis-server)"
      : `  Rates       in Valkey or Redis on port ${String(cluster.valkey.port)}`,
    `  Folder      ${options.folder}: data, logs, and turnpike.yaml of all nodes`,
    ...(setup === undefined ? [] : [`  Setup       ${setup} (makes you the operator, once)`]),
    "",
    "Ctrl+C ends all of it.",
  ].join("\n");
}

/** Says what ends while it should run. A primary that is gone is replaced by its standby, as a failover does it. */
function watch(cluster: Cluster, stopping: AbortSignal): void {
  const report = async (what: string, ended: Promise<string>, after: () => Promise<string>) => {
    const how = await ended;
    if (!stopping.aborted) {
      console.log(`${what} ended (${how}). ${await after()}`);
    }
  };
  const again = () => Promise.resolve("The next start brings it back.");
  const reports = cluster.nodes.map((node, index) =>
    report(`Node ${String(index + 1)}`, node.ended, again),
  );
  const { primary, standby } = cluster.postgres;
  const failOver = async () => {
    await cluster.postgres.promote();
    return "Its standby is the primary now, without a standby of its own until the next start.";
  };
  reports.push(report("The primary", primary.ended, failOver));
  reports.push(report("The standby", standby.ended, again));
  if (cluster.balancer !== undefined) {
    reports.push(report("HAProxy", cluster.balancer.ended, again));
  }
  for (const each of reports) {
    each.catch((error: unknown) => console.error(error));
  }
}

async function run(options: Options): Promise<number> {
  const folderLock = await lock(options.folder);
  const parts = new AsyncDisposableStack();
  parts.defer(() => folderLock.release());
  const stopping = new AbortController();
  const { signal } = stopping;
  onStopSignal(systemClock.monotonicMs, () => {
    console.log("Ending the cluster.");
    stopping.abort();
  });
  const places = toPlaces(options.port);
  const at = toBalancer(options.port);
  try {
    await assertPortsFree([at, ...places.nodes]);
    const cluster = await startCluster({
      folder: options.folder,
      places,
      parts,
      balancer: hasProgram("haproxy") ? { name: "haproxy", at } : undefined,
      configText: toConfigText(options),
      env: { TURNPIKE_CONSOLE_URL: toAddress(options.port) },
      signal,
      note: (text) => console.log(`Starting ${text}`),
    });
    watch(cluster, signal);
    console.log(`\n${await describe(cluster, options)}`);
    if (!signal.aborted) {
      await once(signal, "abort");
    }
    return 0;
  } catch (error) {
    if (signal.aborted) {
      // A start that was given up.
      return 0;
    }
    throw error;
  } finally {
    stopping.abort();
    await parts.disposeAsync();
  }
}

async function main(): Promise<number> {
  const options = parseOptions(process.argv.slice(2));
  if (options === "help") {
    console.log(HELP);
    return 0;
  }
  return await run(options);
}

try {
  process.exitCode = await main();
} catch (error) {
  if (error instanceof UsageError) {
    console.error(`cluster: ${error.message}\n\n${HELP}`);
    process.exitCode = 2;
  } else {
    console.error(error instanceof StartupError ? toStartupLine(error) : error);
    process.exitCode = 1;
  }
}
