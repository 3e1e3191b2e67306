import { hostname } from "node:os";
import type { ComponentHealth } from "#http/system.routes.ts";
import { joinNodes, type NodeMembership, type OtherNode } from "#platform/join-nodes.ts";
import type { DatabaseTrouble } from "#platform/watch-database.ts";
import type { Installation } from "./deps.ts";
import { IDENTITY_SECRET_NAME, toNodeFingerprint } from "./node-fingerprint.ts";
import { readIdentitySecret } from "./open-sso.ts";
import { readWebhookSettings } from "./open-webhooks.ts";
import { readSigningSecret } from "./read-signing-secret.ts";

/** What operators know a node by. */
export function toNodeName(port: number): string {
  return `${hostname()}:${String(port)}`;
}

/** Sums up the other nodes for the health, which anyone may read: it names none. */
export function toNodesHealth(
  others: readonly OtherNode[],
  version: string,
): Record<string, ComponentHealth> {
  if (others.length === 0) {
    return {};
  }
  const count = `${String(others.length + 1)} nodes share this database.`;
  const differing = [...new Set(others.flatMap((other) => other.differing))];
  const versions = new Set([version, ...others.map((other) => other.version)]);
  if (versions.size > 1) {
    const detail = `${count} They run versions ${[...versions].sort().join(" and ")}.`;
    return { nodes: { status: "ok", detail } };
  }
  return {
    nodes:
      differing.length === 0
        ? { status: "ok", detail: count }
        : { status: "degraded", detail: `${count} They differ in: ${differing.join(", ")}.` },
  };
}

/** What is wrong with the way to the database, each as a part of the health. */
export function toWayHealth(trouble: DatabaseTrouble): Record<string, ComponentHealth> {
  return Object.fromEntries(
    Object.entries(trouble).map(([part, detail]) => [part, { status: "degraded", detail }]),
  );
}

/**
 * Joins the nodes that run on the same database.
 *
 * @throws {StartupError} `NODE_DIFFERS` when one of them has other secrets or another configuration, `SECRET_FILE_UNUSABLE`.
 */
export async function openNodes(
  { config, services, logger }: Installation,
  input: { port: number; version: string },
): Promise<NodeMembership> {
  const { parts, changeable } = toNodeFingerprint(config, {
    signing: await readSigningSecret(config),
    identity: await readIdentitySecret(config),
    webhook: (await readWebhookSettings(config)).secret,
  });
  return await joinNodes(
    { ...services, logger, folder: config.dataFolder },
    {
      name: toNodeName(input.port),
      version: input.version,
      fingerprint: parts,
      hashedBy: IDENTITY_SECRET_NAME,
      changeable,
      mayDiffer: config.nodesMayDiffer,
    },
  );
}
