import { hash } from "node:crypto";
import type { LogRule } from "@turnpike/domain/access-log/match-rules";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { KeyId, TenantId } from "@turnpike/domain/ids/ids";
import { getEntitlement } from "#modules/entitlements/index.ts";
import { getKey, historyKeyIdOf } from "#modules/keys/index.ts";
import type { HistoryOwner } from "#modules/metering/index.ts";
import { getTenantByName } from "#modules/tenants/index.ts";
import { toInputFileError } from "../input-file-error.ts";
import type { CommandSession } from "../run-command.ts";
import type { MapRule } from "./import-map.ts";

/** The owner of a request; null when a rule ignores it. */
export type RuleTarget = HistoryOwner | null;

export type ResolvedRules = {
  rules: readonly LogRule<RuleTarget>[];
  /** Identifies these rules: others assign requests differently. */
  scope: string;
  tenants: ReadonlyMap<TenantId, { slug: string }>;
};

type Session = Pick<CommandSession, "deps" | "context">;

async function findOwner(
  { deps, context }: Session,
  { tenant, key }: { tenant: string; key?: KeyId | undefined },
): Promise<HistoryOwner & { slug: string }> {
  const { tenantId, slug } = await getTenantByName(deps, context, { idOrSlug: tenant });
  const { periodAnchor, periodUnit } = await getEntitlement(deps, context, { tenantId });
  const owner = { tenantId, slug, periodAnchor, periodUnit };
  if (key === undefined) {
    return { ...owner, keyId: historyKeyIdOf(tenantId), environment: "live" };
  }
  const { keyId, environment } = await getKey(deps, context, { tenantId, keyId: key });
  return { ...owner, keyId, environment };
}

/** Gives equal rules the same scope, however they name their tenants. */
function toScope(rules: readonly LogRule<RuleTarget>[]): string {
  const words = rules.map(({ path, host, user, clients, target }) => [
    path ?? null,
    host?.toLowerCase() ?? null,
    user ?? null,
    clients ?? null,
    target === null ? null : [target.tenantId, target.keyId],
  ]);
  return hash("sha256", JSON.stringify(words), "hex");
}

/**
 * Finds the tenants and keys that rules name.
 *
 * @param path - The file of the rules; undefined for the options of the command.
 * @throws {InputFileError} that names every rule whose tenant or key does not exist; without a file `AppError`.
 */
export async function resolveRules(
  session: Session,
  { rules, path }: { rules: readonly MapRule[]; path: string | undefined },
): Promise<ResolvedRules> {
  const resolved: LogRule<RuleTarget>[] = [];
  const tenants = new Map<TenantId, { slug: string }>();
  const mistakes: { pointer: string; message: string }[] = [];
  for (const [index, rule] of rules.entries()) {
    const said = { path: rule.path, host: rule.host, user: rule.user, clients: rule.client };
    if ("ignore" in rule) {
      resolved.push({ ...said, target: null });
      continue;
    }
    try {
      const { slug, ...target } = await findOwner(session, rule);
      tenants.set(target.tenantId, { slug });
      resolved.push({ ...said, target });
    } catch (error) {
      if (!(error instanceof AppError) || path === undefined) {
        throw error;
      }
      mistakes.push({ pointer: `/rules/${String(index)}`, message: error.message });
    }
  }
  if (path !== undefined && mistakes.length > 0) {
    throw toInputFileError(path, mistakes);
  }
  return { rules: resolved, scope: toScope(resolved), tenants };
}
