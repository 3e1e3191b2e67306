import type { Sql, Tx } from "@turnpike/db/client";
import { isTenantMissing } from "@turnpike/db/database-errors";
import type { TransactionOptions } from "@turnpike/db/transaction-pool";
import { type Actor, isTenantProgram } from "@turnpike/domain/access/actor";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";

/** Whose share of the connections a transaction takes. Empty for what serves all, which comes before every holder. */
type Share = Pick<TransactionOptions, "holder">;

/** All requests without a credential together. */
export const VISITORS: Share = { holder: "visitors" };
/** Everything that a sign-in needs: visitors who only read the catalogue do not hold it up. */
export const SIGN_INS: Share = { holder: "sign-ins" };

/** All contents of files together: who reads or sends a file waits behind everything else. */
export const FILE_TRANSFERS: Share = { holder: "files" };

/** The share of an actor: a person's own, or the tenant's. The operator's actors have none. */
export function shareOf(actor: Actor): Share {
  if (isTenantProgram(actor)) {
    return { holder: actor.tenantId };
  }
  return actor.type === "user" && !actor.isOperator ? { holder: actor.id } : {};
}

/**
 * The only door to the database for modules. Each transaction takes one of three roles for its own duration, so that
 * what a query may touch is decided by PostgreSQL and nothing of it is left on the pooled connection.
 */
export interface Transact {
  /** Rows of one tenant only, by row-level security. */
  asTenant<Result>(tenantId: TenantId, work: (tx: Tx) => Promise<Result>): Promise<Result>;
  /** Rows of all tenants: operators, service keys, jobs. What a tenant, a person or a visitor asks for names their `share`. */
  asOperator<Result>(work: (tx: Tx) => Promise<Result>, share?: Share): Promise<Result>;
  /**
   * The same, tenants that are deleted included: everywhere else they are not there.
   *
   * @param options.timeoutMs - Of each statement; 0: neither a statement nor a pause between two of them has a limit.
   */
  asOperatorWithDeleted<Result>(
    work: (tx: Tx) => Promise<Result>,
    options?: Share & { timeoutMs?: number },
  ): Promise<Result>;
  /** Reads all tenants in one unchanging snapshot, without a time limit: for work that compares sums. */
  asOperatorSnapshot<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>;
  /**
   * Reads one tenant, or with null all of them, in one unchanging snapshot, for questions whose cost depends on what is
   * asked: a statement is ended after `timeoutMs`, and planned for its own values. `transactionTimeoutMs` is for those that
   * read answer by answer, at the pace of who takes them; left out: the pool's.
   */
  asAnalyst<Result>(
    input: { tenantId: TenantId | null; timeoutMs: number; transactionTimeoutMs?: number },
    work: (tx: Tx) => Promise<Result>,
  ): Promise<Result>;
  /** Writes to the ledger, and to nothing else. */
  asMeter<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>;
}

/** The database ends a statement by itself first. */
const ANALYST_GRACE_MS = 10_000;

async function inTransaction<Result>(
  sql: Pick<Sql, "transaction">,
  prepare: (tx: Tx) => Promise<unknown>,
  work: (tx: Tx) => Promise<Result>,
  options: TransactionOptions = {},
): Promise<Result> {
  try {
    return await sql.transaction(async (tx) => {
      await prepare(tx);
      return await work(tx);
    }, options);
  } catch (error) {
    // It was deleted while something was being added to it.
    throw isTenantMissing(error) ? resourceNotFound("tenant") : error;
  }
}

export function createTransact(sql: Pick<Sql, "transaction">): Transact {
  return {
    asTenant: (tenantId, work) =>
      inTransaction(
        sql,
        (tx) =>
          Promise.all([
            tx`set local role turnpike_tenant`,
            tx`select set_config('app.tenant', ${tenantId}, true)`,
          ]),
        work,
        { holder: tenantId },
      ),
    asOperator: (work, share) =>
      inTransaction(sql, (tx) => tx`set local role turnpike_operator`, work, share),
    asOperatorWithDeleted: (work, { timeoutMs, ...share } = {}) =>
      inTransaction(
        sql,
        (tx) =>
          Promise.all([
            tx`set local role turnpike_operator`,
            tx`select set_config('app.deleted_tenants', 'shown', true), set_config('statement_timeout',
              coalesce(${timeoutMs?.toString() ?? null}, current_setting('statement_timeout')), true),
              set_config('idle_in_transaction_session_timeout', coalesce(${timeoutMs === 0 ? "0" : null},
                current_setting('idle_in_transaction_session_timeout')), true)`,
          ]),
        work,
        timeoutMs === undefined ? share : { ...share, timeoutMs },
      ),
    asOperatorSnapshot: (work) =>
      inTransaction(
        sql,
        (tx) =>
          Promise.all([
            tx`set transaction isolation level repeatable read read only`,
            tx`set local statement_timeout = 0`,
            tx`set local role turnpike_operator`,
          ]),
        work,
        { timeoutMs: 0 },
      ),
    asAnalyst: ({ tenantId, timeoutMs, transactionTimeoutMs }, work) =>
      inTransaction(
        sql,
        (tx) =>
          Promise.all([
            tx`set transaction isolation level repeatable read read only`,
            tenantId === null
              ? tx`set local role turnpike_operator`
              : tx`set local role turnpike_tenant`,
            // A plan for any range of time would be made for none, compiling one takes longer than most of these run, and
            // sums that do not fit the usual working memory would go through the disk. The reader of the answers may be slow.
            tx`select set_config('app.tenant', ${tenantId ?? ""}, true),
              set_config('statement_timeout', ${String(timeoutMs)}, true),
              set_config('plan_cache_mode', 'force_custom_plan', true), set_config('jit', 'off', true),
              set_config('work_mem', '32MB', true), set_config('idle_in_transaction_session_timeout',
                coalesce(${transactionTimeoutMs?.toString() ?? null}, current_setting('idle_in_transaction_session_timeout')), true)`,
          ]),
        work,
        // A question and the one that it is compared with, each up to its own limit.
        {
          timeoutMs: transactionTimeoutMs ?? 2 * timeoutMs + ANALYST_GRACE_MS,
          ...(tenantId === null ? {} : { holder: tenantId }),
        },
      ),
    asMeter: (work) => inTransaction(sql, (tx) => tx`set local role turnpike_meter`, work),
  };
}

/** Asks the database for nothing, to see whether it answers. */
export async function pingDatabase(sql: Sql): Promise<void> {
  await sql.transaction((tx) => tx`select 1`);
}
