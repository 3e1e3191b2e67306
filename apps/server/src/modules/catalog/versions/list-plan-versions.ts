import type { PlanVersion } from "@turnpike/contract/plan-versions";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { AppServices } from "#platform/app-services.ts";
import { parseCursor } from "#platform/parse-cursor.ts";
import { findPlanVersionRow, listPlanVersionRows } from "../catalog.store.ts";
import { toVersionReply } from "./to-version-reply.ts";

function parseVersion(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/**
 * Lists the versions of a plan, newest first.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`, `INVALID_REQUEST`, `INSUFFICIENT_SCOPE`.
 */
export async function listPlanVersions(
  deps: Pick<AppServices, "transact">,
  context: CallContext,
  input: { planId: string; cursor?: string | undefined; limit: number },
): Promise<{ items: PlanVersion[]; nextCursor: string | null }> {
  assertMay(context.actor, "catalog:read");
  const { planId, limit } = input;
  const before = parseCursor(input.cursor, parseVersion);
  const rows = await deps.transact.asOperator((tx) =>
    listPlanVersionRows(tx, { planId, before, limit: limit + 1 }),
  );
  if (rows.length === 0 && before === undefined) {
    throw resourceNotFound("plan");
  }
  const items = rows.slice(0, limit).map(toVersionReply);
  const last = items.at(-1);
  return {
    items,
    nextCursor: rows.length > limit && last !== undefined ? String(last.version) : null,
  };
}

/** @throws {AppError} `RESOURCE_NOT_FOUND`, `INSUFFICIENT_SCOPE`. */
export async function getPlanVersion(
  deps: Pick<AppServices, "transact">,
  context: CallContext,
  { planId, version }: { planId: string; version: number },
): Promise<PlanVersion> {
  assertMay(context.actor, "catalog:read");
  const row = await deps.transact.asOperator((tx) => findPlanVersionRow(tx, { planId, version }));
  if (row === undefined) {
    throw resourceNotFound("version");
  }
  return toVersionReply(row);
}
