import type { meter, meterVersion } from "@turnpike/contract/catalog";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { z } from "zod";
import type { AppServices } from "#platform/app-services.ts";
import { shareOf, VISITORS } from "#platform/transact.ts";
import { listMeterRows, listMeterVersionRows, type MeterRow } from "./catalog.store.ts";

type CatalogDeps = Pick<AppServices, "transact">;

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
 * Lists the meters. They are public because the quotas of public plans name them; how a meter reads events is shown only with
 * a credential.
 *
 * @param context - Undefined for a visitor.
 */
export async function listMeters(
  deps: CatalogDeps,
  context?: CallContext,
): Promise<{ items: Meter[] }> {
  const rows = await deps.transact.asOperator(
    listMeterRows,
    context === undefined ? VISITORS : shareOf(context.actor),
  );
  return { items: rows.map(context === undefined ? toVisitorsMeter : toMeterReply) };
}

/**
 * Lists every version of a meter, newest first.
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
