import { hostname } from "node:os";
import type { ComponentHealth } from "#http/system.routes.ts";
import { joinNodes, type NodeMembership, type OtherNode } from "#platform/join-nodes.ts";
import type { Installation } from "./deps.ts";
import { IDENTITY_SECRET_NAME, toNodeFingerprint } from "./node-fingerprint.ts";
import { readIdentitySecret } from "./open-sso.ts";
import { readWebhookSettings } from "./open-webhooks.ts";
import { readSigningSecret } from "./read-signing-secret.ts";

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
      name: `${hostname()}:${String(input.port)}`,
      version: input.version,
      fingerprint: parts,
      hashedBy: IDENTITY_SECRET_NAME,
      changeable,
      mayDiffer: config.nodesMayDiffer,
    },
  );
}
