import type { meter, meterVersion } from "@turnpike/contract/catalog";
import { assertMay, type CallContext, may } from "@turnpike/domain/access/actor";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { z } from "zod";
import type { AppServices } from "#platform/app-services.ts";
import {
  listMeterRows,
  listMeterVersionRows,
  listPlanRows,
  type MeterRow,
  type PlanRow,
} from "./catalog.store.ts";

type CatalogDeps = Pick<AppServices, "transact">;

function toPlanReply(row: PlanRow) {
  return {
    planId: row.plan_id,
    version: row.version,
    isDefault: row.is_default,
    ...row.terms,
    rateLimits: [...row.terms.rateLimits],
    quotas: [...row.terms.quotas],
    scopes: [...(row.terms.scopes ?? [])],
  };
}

/**
 * Lists the newest version of every plan. Public plans are everybody's to see; private ones are shown to who may read the
 * whole catalogue.
 *
 * @param context - Undefined: a visitor.
 */
export async function listPlans(deps: CatalogDeps, context: CallContext | undefined) {
  const seesPrivate = context !== undefined && may(context.actor, "catalog:read");
  const rows = await deps.transact.asOperator(listPlanRows);
  return {
    items: rows.filter((row) => seesPrivate || row.terms.visibility === "public").map(toPlanReply),
  };
}

type Meter = z.output<typeof meter>;

/** A meter as a reply. */
export function toMeterReply(row: MeterRow): Meter {
  const { dimensions, ...rest } = row;
  return dimensions === undefined ? rest : { ...rest, dimensions: [...dimensions] };
}

/** A meter as visitors see it. */
export function toVisitorsMeter({ meterId, name, unit, aggregation }: MeterRow): Meter {
  return { meterId, name, unit, aggregation };
}

/**
 * Lists what is counted: the quotas of public plans name meters, so these are public too. What they find in events is shown
 * to whoever has a credential.
 *
 * @param context - Undefined: a visitor.
 */
export async function listMeters(
  deps: CatalogDeps,
  context?: CallContext,
): Promise<{ items: Meter[] }> {
  const rows = await deps.transact.asOperator(listMeterRows);
  return { items: rows.map(context === undefined ? toVisitorsMeter : toMeterReply) };
}

/**
 * Lists every version of a meter, the newest first.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`, `INSUFFICIENT_SCOPE`.
 */
export async function listMeterVersions(
  deps: CatalogDeps,
  context: CallContext,
  input: { meterId: string },
): Promise<{ items: z.output<typeof meterVersion>[] }> {
  assertMay(context.actor, "catalog:read");
  const rows = await deps.transact.asOperator((tx) => listMeterVersionRows(tx, input.meterId));
  if (rows.length === 0) {
    throw resourceNotFound("meter");
  }
  return {
    items: rows.map(({ publishedAt, ...row }) => ({
      ...toMeterReply(row),
      version: row.version,
      publishedAt: publishedAt.toISOString(),
    })),
  };
}
