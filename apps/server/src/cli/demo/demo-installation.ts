import type { Key } from "@turnpike/contract/keys";
import type { Tenant } from "@turnpike/contract/tenants";
import type { Role } from "@turnpike/domain/access/scopes";
import { REQUESTS_METER } from "@turnpike/domain/catalog/plan";
import { AppError } from "@turnpike/domain/errors/app-error";
import { toId } from "@turnpike/domain/ids/ids";
import type { Environment } from "@turnpike/domain/keys/key-format";
import { v7 } from "uuid";
import { listPlans } from "#modules/catalog/index.ts";
import { tenantPlans } from "#modules/entitlements/index.ts";
import { ensureUser } from "#modules/identity/index.ts";
import { createKey, listKeys, revokeKey } from "#modules/keys/index.ts";
import {
  createTenant,
  DEMO_EXTERNAL_ID_PREFIX,
  findTenantByExternalId,
  listMembers,
  putMember,
  updateTenant,
} from "#modules/tenants/index.ts";
import type { CommandSession } from "../run-command.ts";
import type { DemoTenant } from "./demo-tenants.ts";
import { DAY_MS, type DemoKey, type DemoWindow, HOUR_MS, instantAt, STORY } from "./demo-usage.ts";

/** A demo tenant in the installation. */
export type InstalledTenant = {
  tenant: DemoTenant;
  reply: Tenant;
  joinedAtMs: number;
  keys: DemoKey[];
};

type KeyPlan = {
  name: string;
  environment: Environment;
  share: number;
  fromMs: number;
  revokedAtMs: number | null;
};

const PAGE = 100;
/** The issuer of the demo's people. Its domain is reserved (RFC 2606), so no one can sign in from there. */
export const DEMO_ISSUER = "https://id.example.com";

/** The external id of a demo tenant, by which a second run finds it. */
export function externalIdOf(seed: number, index: number): string {
  return `${DEMO_EXTERNAL_ID_PREFIX}${String(seed)}:${String(index + 1)}`;
}

/**
 * The same services at an instant of the past. Rows and ids made with them have that date. Plans given with them are not billed:
 * the demo lets its tenants subscribe once their usage is there.
 */
export function at({ deps }: CommandSession, epochMs: number): CommandSession["deps"] {
  return {
    ...deps,
    plans: tenantPlans,
    clock: { now: () => new Date(epochMs), monotonicMs: deps.clock.monotonicMs },
    newId: (kind) => toId(kind, v7({ msecs: epochMs })),
  };
}

/**
 * Hard quotas of the plans that the demo uses.
 *
 * @throws {AppError} `INVALID_REQUEST` when the catalogue lacks one of the plans.
 */
export async function readHardQuotas(
  session: CommandSession,
): Promise<Record<DemoTenant["planId"], number | null>> {
  const { items } = await listPlans(session.deps, session.context);
  const quotaOf = (planId: string): number | null => {
    const plan = items.find((candidate) => candidate.planId === planId);
    if (plan === undefined) {
      throw new AppError({
        code: "INVALID_REQUEST",
        publicMessage:
          "The demo uses the plans free, pro and scale of the sample catalogue, and this catalogue lacks one of them.",
      });
    }
    return (
      plan.quotas.find((quota) => quota.meter === REQUESTS_METER && quota.kind === "hard")?.limit ??
      null
    );
  };
  return { free: quotaOf("free"), pro: quotaOf("pro"), scale: quotaOf("scale") };
}

/**
 * Finds the window of a demo that was begun before. The first run fixes it: a later run must generate the same usage, or it
 * would be counted twice.
 */
export async function findWindow(
  session: CommandSession,
  seed: number,
): Promise<DemoWindow | undefined> {
  const { deps, context } = session;
  const first = await findTenantByExternalId(deps, context, { externalId: externalIdOf(seed, 0) });
  if (first === undefined) {
    return;
  }
  const { items } = await listKeys(deps, context, { tenantId: first.tenantId, limit: PAGE });
  const untilMs = items.map((key) => Number(key.metadata["demoUntilMs"])).find(Number.isInteger);
  return untilMs === undefined ? undefined : { fromMs: Date.parse(first.createdAt), untilMs };
}

export async function ensureTenant(
  session: CommandSession,
  input: { tenant: Pick<DemoTenant, "name" | "planId">; externalId: string; joinedAtMs: number },
): Promise<Tenant> {
  const { context } = session;
  const { tenant, externalId, joinedAtMs } = input;
  const found = await findTenantByExternalId(session.deps, context, { externalId });
  return (
    found ??
    (await createTenant(at(session, joinedAtMs), context, {
      name: tenant.name,
      externalId,
      planId: tenant.planId,
    }))
  );
}

const MEMBERS: readonly { role: Role; name: string }[] = [
  { role: "owner", name: "Owner" },
  { role: "developer", name: "Developer" },
];

/** Gives a tenant its people, named after their roles, with addresses that cannot receive mail (RFC 2606). */
export async function ensureMembers(
  session: CommandSession,
  tenant: Tenant,
  joinedAtMs: number,
): Promise<void> {
  const { context } = session;
  const { tenantId, slug } = tenant;
  const { items } = await listMembers(session.deps, context, { tenantId, limit: PAGE });
  for (const { role, name } of MEMBERS) {
    if (items.some((member) => member.role === role)) {
      continue;
    }
    const { userId } = await ensureUser(at(session, joinedAtMs), context, {
      issuer: DEMO_ISSUER,
      subject: `${tenantId}:${role}`,
      email: `${role}@${slug}.example`,
      name: `${name} at ${tenant.name}`,
    });
    await putMember(at(session, joinedAtMs), context, { tenantId, userId, role });
  }
}

function planKeys(tenant: DemoTenant, joinedAtMs: number, window: DemoWindow): KeyPlan[] {
  const rotatedAtMs = instantAt(window, STORY.rotation);
  const isRotated = tenant.hasRotatedKey && rotatedAtMs > joinedAtMs + DAY_MS;
  const live: Omit<KeyPlan, "name"> = {
    environment: "live",
    share: 0.7,
    fromMs: joinedAtMs,
    revokedAtMs: null,
  };
  const production: KeyPlan[] = isRotated
    ? [
        { ...live, name: "production (replaced)", revokedAtMs: rotatedAtMs },
        { ...live, name: "production", fromMs: rotatedAtMs - HOUR_MS },
      ]
    : [{ ...live, name: "production" }];
  return [
    ...production,
    { ...live, name: "mobile app", share: 0.3 },
    { ...live, name: "continuous integration", environment: "test", share: 0.05 },
  ];
}

async function ensureKey(
  session: CommandSession,
  input: { tenant: Tenant; plan: KeyPlan; known: readonly Key[]; window: DemoWindow },
): Promise<DemoKey> {
  const { context } = session;
  const { tenant, plan, known, window } = input;
  const { tenantId } = tenant;
  const key =
    known.find((candidate) => candidate.name === plan.name) ??
    (await createKey(at(session, plan.fromMs), context, {
      tenantId,
      name: plan.name,
      environment: plan.environment,
      scopes: [],
      metadata: { demoUntilMs: window.untilMs },
    }));
  if (plan.revokedAtMs !== null && key.state === "active") {
    await revokeKey(at(session, plan.revokedAtMs), context, { tenantId, keyId: key.keyId });
  }
  return {
    keyId: key.keyId,
    name: plan.name,
    environment: plan.environment,
    share: plan.share,
    activeFromMs: plan.fromMs,
    revokedAtMs: plan.revokedAtMs,
  };
}

async function tellStory(
  session: CommandSession,
  tenant: DemoTenant,
  reply: Tenant,
  window: DemoWindow,
): Promise<Tenant> {
  const { context } = session;
  const { tenantId } = reply;
  if (tenant.story === "upgrade" && reply.planId === tenant.planId) {
    const deps = at(session, instantAt(window, STORY.upgrade));
    return await updateTenant(deps, context, { tenantId, planId: "pro" });
  }
  if (tenant.story === "suspended" && reply.suspendedAt === null) {
    const deps = at(session, instantAt(window, STORY.suspension));
    return await updateTenant(deps, context, { tenantId, suspended: true });
  }
  return reply;
}

/** Creates a demo tenant, its members and its keys, as far as they are missing. */
export async function installTenant(
  session: CommandSession,
  input: { tenant: DemoTenant; seed: number; index: number; window: DemoWindow },
): Promise<InstalledTenant> {
  const { tenant, window } = input;
  const joinedAtMs = tenant.joinsAt === 0 ? window.fromMs : instantAt(window, tenant.joinsAt);
  const reply = await ensureTenant(session, {
    tenant,
    externalId: externalIdOf(input.seed, input.index),
    joinedAtMs,
  });
  await ensureMembers(session, reply, joinedAtMs);
  const { items: known } = await listKeys(session.deps, session.context, {
    tenantId: reply.tenantId,
    limit: PAGE,
  });
  const keys: DemoKey[] = [];
  for (const plan of planKeys(tenant, joinedAtMs, window)) {
    keys.push(await ensureKey(session, { tenant: reply, plan, known, window }));
  }
  const told = await tellStory(session, tenant, reply, window);
  return { tenant, reply: told, joinedAtMs, keys };
}
