import { chmod } from "node:fs/promises";
import { join } from "node:path";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { pollUntil } from "../poll-until.ts";
import { createBelow } from "../seeded-chance.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { VALKEY_MISSING } from "../valkey-server.ts";
import { createWallClock, WALL_CLOCK_OBSTACLE, type WallClock } from "../wall-clock.ts";
import { startCluster } from "./cluster.ts";
import { createHostNetwork, type Host, type HostNetwork } from "./hosts.ts";
import { type ClusterNode, isReady } from "./node.ts";
import type { NodePlace } from "./recipe.ts";

export type StageCustomer = { tenantId: TenantId; key: string };

/**
 * Three nodes, two servers of PostgreSQL and, where it is installed, Valkey or Redis for rate limits, each on a host of its own,
 * and what can be done to them.
 */
export type ClusterStage = AsyncDisposable & {
  nodes: readonly NodePlace[];
  serviceKey: string;
  createCustomer(planId: string): Promise<StageCustomer>;
  /** Number of a node, by the seed. */
  pickNode(): number;
  kill(node: number): Promise<void>;
  restart(node: number): Promise<void>;
  /** Takes a node off the network. */
  cutOff(node: number): Promise<void>;
  /** Takes the database away from a node that its callers still reach. */
  cutOffDatabase(node: number): Promise<void>;
  losePackets(node: number, percent: number): Promise<void>;
  heal(node: number): Promise<void>;
  /** Sets the wall clock of a node; does nothing where clocks cannot be moved. */
  jumpClock(node: number, seconds: number): Promise<void>;
  /** Kills the primary and makes the standby the primary, at the same address. */
  failOver(): Promise<void>;
  /** Kills the store of rate limits; all that it held is lost. Does nothing where there is none. */
  killValkey(): Promise<void>;
  restartValkey(): Promise<void>;
  awaitAllReady(): Promise<void>;
  /** Stops all nodes in order, so that the ledger holds everything. */
  stopNodes(): Promise<void>;
  /** Billable units that the ledger holds, with all nodes stopped. */
  readLedger(customer: StageCustomer): Promise<number>;
  /** What `turnpike reconcile` finds. */
  reconcile(): Promise<{ drift: number }>;
};

const NODES = 3;
const PORT = 3_000;
const GATEWAY_PORT = 3_001;
const POSTGRES_PORT = 5_432;
const VALKEY_PORT = 6_379;

/**
 * Builds the stage; `await using` ends and removes all of it.
 *
 * @param input.configText - Of turnpike.yaml, beyond what the hosts need.
 */
export async function openClusterStage(input: {
  seed: number;
  configText: string;
}): Promise<ClusterStage> {
  const parts = new AsyncDisposableStack();
  try {
    const folder = parts.use(await makeTempFolder());
    // As root, the databases run as a user who must be able to pass.
    await chmod(folder.path, 0o711);
    const network = parts.use(await createHostNetwork());
    return await build(input, { parts, network, folder: folder.path });
  } catch (error) {
    await parts.disposeAsync();
    throw error;
  }
}

async function build(
  input: { seed: number; configText: string },
  made: { parts: AsyncDisposableStack; network: HostNetwork; folder: string },
): Promise<ClusterStage> {
  const { parts, network, folder } = made;
  const below = createBelow(input.seed);
  const hosts: Host[] = [];
  const clocks: WallClock[] = [];
  for (let index = 0; index < NODES; index += 1) {
    hosts.push(await network.addHost());
    if (WALL_CLOCK_OBSTACLE === undefined) {
      clocks.push(await createWallClock(join(folder, `clock-${String(index)}`)));
    }
  }
  const databases = [await network.addHost(), await network.addHost()] as const;
  const [first, second] = databases;
  const databaseAddress = network.spareAddress();
  await network.moveAddress(databaseAddress, undefined, first);

  const cluster = await startCluster({
    folder,
    parts,
    balancer: undefined,
    places: {
      nodes: hosts.map((host) => ({ ...host, port: PORT, gatewayPort: GATEWAY_PORT })),
      postgres: [
        { ...first, port: POSTGRES_PORT },
        { ...second, port: POSTGRES_PORT },
      ],
      ...(VALKEY_MISSING === undefined && {
        valkey: { ...(await network.addHost()), port: VALKEY_PORT },
      }),
    },
    databasePlaces: [{ host: databaseAddress, within: [], port: POSTGRES_PORT }],
    configText: [
      "listen: { host: 0.0.0.0 }",
      `rateLimits: { store: ${VALKEY_MISSING === undefined ? "valkey" : "postgres"} }`,
      input.configText,
    ].join("\n"),
    envOf: (index) => clocks[index]?.env ?? {},
  });
  const serviceKey = await cluster.mintServiceKey();
  let primary = cluster.postgres.primary;
  const hostOf = (index: number) => get(hosts, index);

  return {
    nodes: cluster.nodes.map(({ place }) => place),
    serviceKey,
    createCustomer: (planId) => createCustomer(get(cluster.nodes, 0), { serviceKey, planId }),
    pickNode: () => below(NODES),
    async kill(index) {
      await get(cluster.nodes, index).stop("SIGKILL");
    },
    async restart(index) {
      await cluster.restartNode(index);
    },
    cutOff: (index) => network.cutOff(hostOf(index)),
    cutOffDatabase: (index) => network.part(hostOf(index), databaseAddress),
    losePackets: (index, percent) => network.losePackets(hostOf(index), percent),
    heal: (index) => network.heal(hostOf(index)),
    async jumpClock(index, seconds) {
      await clocks[index]?.jump(seconds);
    },
    async failOver() {
      await primary.kill();
      primary = cluster.postgres.standby;
      await network.moveAddress(databaseAddress, first, second);
      await cluster.postgres.promote();
    },
    async killValkey() {
      await cluster.valkey?.kill();
    },
    async restartValkey() {
      await cluster.valkey?.start();
    },
    async awaitAllReady() {
      await pollUntil("all nodes are ready", async () => {
        const answers = await Promise.all(cluster.nodes.map(({ place }) => isReady(place)));
        return answers.every(Boolean);
      });
    },
    async stopNodes() {
      const ends = await Promise.all(cluster.nodes.map((node) => node.stop()));
      if (ends.some((end) => end !== "exit code 0")) {
        throw new Error(`The nodes stopped with ${ends.join(", ")}.`);
      }
    },
    async readLedger({ tenantId }) {
      const sql = primary.connect("turnpike");
      try {
        const [row] = await sql<{ quantity: number }[]>`
          select coalesce(sum(quantity), 0)::int as quantity from ledger_entries
          where tenant_id = ${tenantId}`;
        return row?.quantity ?? 0;
      } finally {
        await sql.end();
      }
    },
    reconcile: () => cluster.turnpike("reconcile"),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

function get<Item>(items: readonly Item[], index: number): Item {
  const item = items[index];
  if (item === undefined) {
    throw new Error(`There is no number ${String(index)}.`);
  }
  return item;
}

async function createCustomer(
  { place }: ClusterNode,
  { serviceKey, planId }: { serviceKey: string; planId: string },
): Promise<StageCustomer> {
  async function create<Reply>(path: string, body: object): Promise<Reply> {
    const reply = await fetch(`http://${place.host}:${String(place.port)}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${serviceKey}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!reply.ok) {
      throw new Error(`${path}: ${String(reply.status)} ${await reply.text()}`);
    }
    return (await reply.json()) as Reply;
  }
  const tenant = await create<{ tenantId: TenantId }>("/v1/tenants", { name: planId, planId });
  const { key } = await create<{ key: string }>(`/v1/tenants/${tenant.tenantId}/keys`, {
    name: planId,
  });
  return { tenantId: tenant.tenantId, key };
}
