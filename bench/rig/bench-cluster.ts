import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { startBalancer } from "@turnpike/testkit/cluster/balancer";
import { type Cluster, startCluster } from "@turnpike/testkit/cluster/cluster";
import { hasProgram } from "@turnpike/testkit/cluster/logged-program";
import { THIS_MACHINE } from "@turnpike/testkit/cluster/place";
import type { NodePlace } from "@turnpike/testkit/cluster/recipe";
import { findFreePort } from "@turnpike/testkit/find-free-port";
import { makeTempFolder } from "@turnpike/testkit/temp-folder";
import { VALKEY_MISSING } from "@turnpike/testkit/valkey-server";

export const BENCH_NODES = 3;

export type BenchCluster = {
  cluster: Cluster;
  nodes: readonly NodePlace[];
  /** HAProxy that sends all calls of a key to one node. */
  at: NodePlace;
  /** HAProxy that sends each call to the next node. */
  spread: NodePlace;
};

async function findPlace(): Promise<NodePlace> {
  return { ...THIS_MACHINE, port: await findFreePort(), gatewayPort: await findFreePort() };
}

/**
 * Starts three nodes, PostgreSQL with a synchronous standby, Valkey or Redis for rate limits, and HAProxy twice.
 *
 * @throws where HAProxy, or Valkey and Redis, are not installed.
 */
export async function openBenchCluster(
  parts: AsyncDisposableStack,
  note: (text: string) => void,
): Promise<BenchCluster> {
  if (!hasProgram("haproxy")) {
    throw new Error("HAProxy is not installed: apt-get install haproxy");
  }
  if (VALKEY_MISSING !== undefined) {
    throw new Error(`${VALKEY_MISSING}: apt-get install redis-server`);
  }
  const folder = parts.use(await makeTempFolder());
  // As root, the databases run as a user who must be able to pass.
  await chmod(folder.path, 0o711);
  note("starting a cluster");
  const at = await findPlace();
  const nodes: NodePlace[] = [];
  for (let count = 0; count < BENCH_NODES; count += 1) {
    nodes.push(await findPlace());
  }
  const cluster = await startCluster({
    folder: folder.path,
    parts,
    balancer: { name: "haproxy", at },
    places: {
      nodes,
      postgres: [
        { ...THIS_MACHINE, port: await findFreePort() },
        { ...THIS_MACHINE, port: await findFreePort() },
      ],
      valkey: { ...THIS_MACHINE, port: await findFreePort() },
    },
    configText: "trustedProxies: [127.0.0.1]\nrateLimits: { store: valkey }\n",
  });
  const spread = await findPlace();
  const balancer = await startBalancer("haproxy", {
    folder: join(folder.path, "spread"),
    at: spread,
    nodes,
    edit: (config) =>
      config.replaceAll(/balance hash .*\n *hash-type consistent/g, "balance roundrobin"),
  });
  parts.defer(async () => {
    await balancer.stop();
  });
  return { cluster, nodes, at, spread };
}
