import type { Environment } from "@turnpike/domain/keys/key-format";
import { type HardLimit, NO_LIMIT } from "#modules/metering/index.ts";
import type { Subject } from "../call-to-decide.ts";

/** How long calls from before a change of a key may stay uncommitted, with a wide margin between two wall clocks. */
const RECENT_MS = 60_000;

type EnvironmentLimits = { owner: string; byMeter: Map<string, HardLimit | undefined> };

/** What stays the same while a tenant's terms and billing period do. Every call reads it, so it is built once. */
export class TenantLimits {
  readonly periodStartMs: number;
  readonly #subject: Pick<Subject, "tenant" | "periodStartMs" | "periodEndMs">;
  readonly #environments = new Map<Environment, EnvironmentLimits>();

  constructor({ tenant, periodStartMs, periodEndMs }: Subject) {
    this.#subject = { tenant, periodStartMs, periodEndMs };
    this.periodStartMs = periodStartMs;
  }

  #of(environment: Environment): EnvironmentLimits {
    let limits = this.#environments.get(environment);
    if (limits === undefined) {
      const owner = `${this.#subject.tenant.tenantId}|${environment}`;
      limits = { owner, byMeter: new Map() };
      this.#environments.set(environment, limits);
    }
    return limits;
  }

  /** The name under which the tenant's rate limits count. */
  ownerOf(environment: Environment): string {
    return this.#of(environment).owner;
  }

  hardLimitOf(environment: Environment, meterId: string): HardLimit | undefined {
    const { byMeter } = this.#of(environment);
    if (!byMeter.has(meterId)) {
      byMeter.set(meterId, this.#findHardLimit(environment, meterId));
    }
    return byMeter.get(meterId);
  }

  #findHardLimit(environment: Environment, meterId: string): HardLimit | undefined {
    const { tenant, periodStartMs, periodEndMs } = this.#subject;
    const quota = tenant.terms.quotas.find(
      (candidate) => candidate.meter === meterId && candidate.kind === "hard",
    );
    const spendCap = environment === "live" ? tenant.spendCap : tenant.sandboxSpend;
    const isCapped = spendCap?.meters.includes(meterId) === true;
    if (quota === undefined && !isCapped) {
      return;
    }
    return {
      tenantId: tenant.tenantId,
      meterId,
      environment,
      periodStartMs,
      periodEndMs,
      limit: quota?.limit ?? NO_LIMIT,
      // Until there was a cap, calls may have taken no lease.
      ...(isCapped ? { changedAtMs: spendCap.changedAtMs, isRecent: true } : {}),
    };
  }
}

/** True for a meter without a quota, which goes through leases because of a spend cap. */
export function isCapOnly({ limit }: HardLimit): boolean {
  return limit === NO_LIMIT;
}

/** The hard limit of the key on a meter, if it has one. */
export function keyLimitOf(
  subject: Subject,
  meterId: string,
  nowMs: number,
): HardLimit | undefined {
  const { quotas } = subject.key;
  const quota =
    quotas.length === 0 ? undefined : quotas.find((candidate) => candidate.meter === meterId);
  return quota === undefined
    ? undefined
    : {
        tenantId: subject.tenant.tenantId,
        keyId: subject.key.originKeyId,
        meterId,
        environment: subject.key.environment,
        periodStartMs: subject.periodStartMs,
        periodEndMs: subject.periodEndMs,
        limit: quota.limit,
        changedAtMs: subject.key.updatedAtMs,
        isRecent: nowMs - subject.key.updatedAtMs < RECENT_MS,
      };
}
