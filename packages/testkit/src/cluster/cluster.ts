import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SCOPES } from "@turnpike/domain/access/scopes";
import { ensureSecretFile } from "../../../../apps/server/src/platform/secret-file.ts";
import { startProgram } from "../program.ts";
import { startValkeyServer, type ValkeyServer } from "../valkey-server.ts";
import { type BalancerName, startBalancer } from "./balancer.ts";
import type { LoggedProgram } from "./logged-program.ts";
import { awaitReady, type ClusterNode, type NodeSettings, startNode } from "./node.ts";
import type { Place } from "./place.ts";
import { type PostgresPair, type PostgresPlace, startPostgresPair } from "./postgres-pair.ts";
import type { NodePlace } from "./recipe.ts";

export type ClusterPlaces = {
  nodes: readonly NodePlace[];
  postgres: readonly [PostgresPlace, PostgresPlace];
  /** For the nodes whose configuration counts rate limits there; left out: none is started. */
  valkey?: Place & { port: number };
};

/** Several nodes on one database, with a load balancer in front of them. */
export type Cluster = {
  postgres: PostgresPair;
  valkey: ValkeyServer | undefined;
  /** Those that were started last, by their place. */
  nodes: readonly ClusterNode[];
  /** Undefined when there is none. */
  balancer: LoggedProgram | undefined;
  /** Starts a node again, in its folder. */
  restartNode(index: number): Promise<ClusterNode>;
  /** What a command of `turnpike` answers, run on a machine of its own. */
  turnpike<Answer>(...args: readonly string[]): Promise<Answer>;
  /** The text of a new service key with every scope. */
  mintServiceKey(): Promise<string>;
};

/** In the environment of every node, so that they are the same. */
const SECRETS = {
  TURNPIKE_SIGNING_SECRET: "signing",
  TURNPIKE_IDENTITY_SECRET: "identity",
  TURNPIKE_WEBHOOK_SECRET: "webhooks",
} as const;

/**
 * Starts a cluster in a folder, or goes on with the one that is there.
 *
 * @param input.parts - Ends every part that was started, the last one first, also when the start fails.
 * @param input.balancer - Which, and where it listens; undefined for none.
 * @param input.databasePlaces - Where the nodes look for the database; left out: where the primary is.
 * @param input.configText - Text of turnpike.yaml, where there is none yet.
 * @param input.env - Further variables of the nodes.
 * @param input.envOf - The same of one node, by its place.
 * @param input.signal - Gives the start up, between two parts or while a node gets ready.
 * @param input.note - Hears what is being done.
 */
export async function startCluster(input: {
  folder: string;
  places: ClusterPlaces;
  parts: AsyncDisposableStack;
  balancer: { name: BalancerName; at: NodePlace } | undefined;
  databasePlaces?: readonly PostgresPlace[];
  configText: string;
  env?: Readonly<Record<string, string>>;
  envOf?: (index: number) => Readonly<Record<string, string>>;
  signal?: AbortSignal;
  note?: (text: string) => void;
}): Promise<Cluster> {
  const { folder, places, parts, signal, note = () => undefined } = input;
  note("PostgreSQL and its standby");
  const postgres = await startPostgresPair({ folder, places: places.postgres });
  parts.defer(() => postgres.stop());

  const valkey = places.valkey === undefined ? undefined : await startValkeyServer(places.valkey);
  if (valkey !== undefined) {
    parts.defer(() => valkey.kill());
  }

  const configPath = join(folder, "turnpike.yaml");
  await writeFile(configPath, input.configText, { flag: "wx" }).catch(ignoreExisting);
  const settings: NodeSettings = {
    configPath,
    env: {
      DATABASE_URL: postgres.urlOf(input.databasePlaces ?? [postgres.primary.place]),
      ...(await makeSecrets(join(folder, "secrets"))),
      ...(valkey === undefined ? {} : { TURNPIKE_VALKEY_URL: valkey.url }),
      ...input.env,
    },
  };

  const nodes: ClusterNode[] = [];
  parts.defer(async () => {
    await Promise.all(nodes.map(async (node) => await node.stop()));
  });
  const start = async (index: number): Promise<ClusterNode> => {
    const place = places.nodes[index];
    if (place === undefined) {
      throw new Error(`There is no node ${String(index + 1)}.`);
    }
    const env = { ...settings.env, ...input.envOf?.(index) };
    const node = await startNode(nodeFolder(folder, index), place, { ...settings, env });
    nodes[index] = node;
    return node;
  };
  signal?.throwIfAborted();
  note(`${String(places.nodes.length)} nodes at once`);
  // All of them are there to be stopped before one can fail to get ready.
  const started = await Promise.all([...places.nodes.keys()].map(start));
  await Promise.all(started.map(async (node) => await awaitReady(node, signal)));

  const balancer =
    input.balancer === undefined
      ? undefined
      : await startBalancer(input.balancer.name, {
          folder: join(folder, input.balancer.name),
          at: input.balancer.at,
          nodes: places.nodes,
        });
  if (balancer !== undefined) {
    parts.defer(async () => {
      await balancer.stop();
    });
  }

  async function turnpike<Answer>(...args: readonly string[]): Promise<Answer> {
    const { stdout, stderr } = await startProgram({
      script: "apps/server/src/cli/main.ts",
      args: [...args, "--json"],
      env: {
        ...settings.env,
        TURNPIKE_CONFIG: settings.configPath,
        TURNPIKE_DATA_DIR: join(folder, "command-line"),
      },
    }).ended;
    if (stdout === "") {
      throw new Error(`turnpike ${args.join(" ")}: ${stderr}`);
    }
    return JSON.parse(stdout) as Answer;
  }

  return {
    postgres,
    valkey,
    nodes,
    balancer,
    turnpike,
    async mintServiceKey() {
      const scopes = SCOPES.flatMap((scope) => ["--scope", scope]);
      const args = ["service-keys", "create", "--name", "Cluster", ...scopes];
      return (await turnpike<{ key: string }>(...args)).key;
    },
    async restartNode(index) {
      const node = await start(index);
      await awaitReady(node);
      return node;
    },
  };
}

const nodeFolder = (folder: string, index: number) => join(folder, `node-${String(index + 1)}`);

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== "EEXIST") {
    throw error;
  }
}

async function makeSecrets(folder: string): Promise<Record<string, string>> {
  const entries: [string, string][] = [];
  for (const [variable, name] of Object.entries(SECRETS)) {
    entries.push([variable, await ensureSecretFile(folder, name)]);
  }
  return Object.fromEntries(entries);
}
