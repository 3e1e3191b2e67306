import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Tx } from "@turnpike/db/client";
import { isId, type NewId } from "@turnpike/domain/ids/ids";
import type { Logger } from "./logger.ts";
import {
  deleteNode,
  listLiveNodes,
  lockNodes,
  type NodeRow,
  touchNode,
  upsertNode,
} from "./nodes.store.ts";
import { StartupError } from "./startup-error.ts";
import type { Transact } from "./transact.ts";

/** What a node says of itself. */
export type NodeDescription = Pick<NodeRow, "name" | "version" | "fingerprint"> & {
  /** Name of the secret that the hashes are made with: where it differs, nothing else can be compared. */
  hashedBy: string;
  /** Names in the fingerprint that may differ between versions, or while `mayDiffer`; the others never may. */
  changeable: ReadonlySet<string>;
  /** True: what is changeable may differ from that of other nodes. */
  mayDiffer: boolean;
};

/** Another node, and what differs there. */
export type OtherNode = Pick<NodeRow, "name" | "version"> & { differing: string[] };

/** This process among the nodes of its database. */
export interface NodeMembership {
  /** The others that run, as of the last heartbeat. */
  others(): readonly OtherNode[];
  /** The same, asked of the database in a transaction. */
  hasOthers(tx: Tx): Promise<boolean>;
  /** Takes this node off the list; what fails leaves it to be taken for gone. */
  leave(): Promise<void>;
}

export type JoinNodesDeps = {
  transact: Pick<Transact, "asOperator">;
  newId: NewId;
  logger: Pick<Logger, "warn" | "debug">;
  /** The data folder: what is started in it again is the same node. */
  folder: string;
};

const HEARTBEAT_MS = 3_000;
const LOOK_AGAIN_MS = 250;
const NODE_FILE = "node-id";

/** The id of the node whose data folder this is; made at the first call. */
async function ensureNodeId({ folder, newId }: JoinNodesDeps): Promise<string> {
  const path = join(folder, NODE_FILE);
  const known = await readFile(path, "utf8").catch(() => "");
  if (isId("node", known)) {
    return known;
  }
  const nodeId = newId("node");
  await writeFile(path, nodeId, { mode: 0o600 });
  return nodeId;
}

/** Takes the node whose data folder this is off the list, when it does not return. */
export async function forgetNode({
  transact,
  folder,
}: Pick<JoinNodesDeps, "transact" | "folder">): Promise<void> {
  const nodeId = await readFile(join(folder, NODE_FILE), "utf8").catch(() => "");
  if (isId("node", nodeId)) {
    await transact.asOperator((tx) => deleteNode(tx, nodeId));
  }
}

function listDiffering(
  { fingerprint, hashedBy }: Pick<NodeDescription, "fingerprint" | "hashedBy">,
  other: NodeRow["fingerprint"],
): string[] {
  const names = Object.keys(fingerprint).filter(
    (name) => name in other && other[name] !== fingerprint[name],
  );
  return names.includes(hashedBy) ? [hashedBy] : names;
}

/** What a start may not differ in from a node that runs. */
function listForbidden(own: NodeDescription, other: NodeRow): string[] {
  const isAllowed = own.mayDiffer || own.version !== other.version;
  return listDiffering(own, other.fingerprint).filter(
    (name) => !(isAllowed && own.changeable.has(name)),
  );
}

function toDifference(own: NodeDescription, other: NodeRow, names: readonly string[]) {
  const fixed = names.filter((name) => !own.changeable.has(name));
  const [verb, these] = names.length === 1 ? ["differs", "that"] : ["differ", "those"];
  return new StartupError({
    code: "NODE_DIFFERS",
    message: `${names.join(", ")} ${verb} from ${these} of node ${other.name}, which runs on the same database`,
    hint:
      fixed.length > 0
        ? `Set ${fixed.join(", ")} to the same value on all nodes; what a node generated is in the folder secrets of its data folder`
        : "Give all nodes the same, or set TURNPIKE_NODES_MAY_DIFFER=true while you change one node after the other",
  });
}

/**
 * Joins the nodes on this database, and gives signs of life from then on.
 *
 * A node that was killed looks alive for some seconds, so what differs is refused only once the other node gives another sign
 * of life; the start waits for that, or for the other to be taken for gone.
 *
 * @throws {StartupError} `NODE_DIFFERS` when a node runs that has another value of what must be equal.
 */
export async function joinNodes(
  deps: JoinNodesDeps,
  own: NodeDescription,
): Promise<NodeMembership> {
  const { transact, logger } = deps;
  const nodeId = await ensureNodeId(deps);
  const { name, version, fingerprint } = own;
  const row = { nodeId, name, version, fingerprint };
  let others: NodeRow[] = [];

  /** @returns The first node that this one may not run beside; undefined when it has joined. */
  async function tryToJoin(): Promise<NodeRow | undefined> {
    return await transact.asOperator(async (tx) => {
      await lockNodes(tx);
      others = await listLiveNodes(tx, nodeId);
      const unlike = others.find((other) => listForbidden(own, other).length > 0);
      if (unlike === undefined) {
        await upsertNode(tx, row);
      }
      return unlike;
    });
  }

  const seen = new Map<string, number>();
  for (let unlike = await tryToJoin(); unlike !== undefined; unlike = await tryToJoin()) {
    const first = seen.get(unlike.nodeId);
    if (first !== undefined && first !== unlike.seenAt.getTime()) {
      throw toDifference(own, unlike, listForbidden(own, unlike));
    }
    seen.set(unlike.nodeId, unlike.seenAt.getTime());
    await delay(LOOK_AGAIN_MS);
  }

  async function beat(): Promise<void> {
    await transact.asOperator(async (tx) => {
      if (!(await touchNode(tx, nodeId))) {
        // Silent for days, as on a machine that slept.
        await upsertNode(tx, row);
      }
      others = await listLiveNodes(tx, nodeId);
    });
  }
  let beating = Promise.resolve();
  const timer = setInterval(() => {
    beating = beating
      .then(beat)
      .catch((error: unknown) => logger.debug({ err: error }, "No sign of life of this node"));
  }, HEARTBEAT_MS);

  return {
    others: () =>
      others.map((other) => ({
        name: other.name,
        version: other.version,
        differing: listDiffering(own, other.fingerprint),
      })),
    hasOthers: async (tx) => (await listLiveNodes(tx, nodeId)).length > 0,
    leave: async () => {
      clearInterval(timer);
      await beating;
      await transact
        .asOperator((tx) => deleteNode(tx, nodeId))
        .catch((error: unknown) => logger.debug({ err: error }, "This node is left on the list"));
    },
  };
}
