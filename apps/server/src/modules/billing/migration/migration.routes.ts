import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { implement } from "@orpc/server";
import { draftsPreviewQuery } from "@turnpike/contract/plan-drafts-preview";
import { migrationPreviewQuery, planMigrationsContract } from "@turnpike/contract/plan-migrations";
import type { HttpContext } from "#http/http-context.ts";
import { parseQuery } from "#http/parse-query.ts";
import type { RawCall, RawRoute } from "#http/raw-route.ts";
import type { JobQueue } from "#platform/job-queue.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { countSubscribers } from "./count-subscribers.ts";
import { cancelMigration, listPlanMigrations, migrateSubscribers } from "./manage-migrations.ts";
import { previewDrafts } from "./preview-drafts.ts";
import { previewMigration } from "./preview-migration.ts";

export function createMigrationRoutes(deps: BillingDeps & { jobs: JobQueue }) {
  const os = implement(planMigrationsContract).$context<HttpContext>();
  return os.router({
    countSubscribers: os.countSubscribers.handler(({ input, context }) =>
      countSubscribers(deps, context.call(), input),
    ),
    create: os.create.handler(({ input, context }) =>
      migrateSubscribers(deps, context.call(), input),
    ),
    list: os.list.handler(({ input, context }) => listPlanMigrations(deps, context.call(), input)),
    cancel: os.cancel.handler(({ input, context }) => cancelMigration(deps, context.call(), input)),
  });
}

async function* toLines(rows: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const row of rows) {
    yield `${JSON.stringify(row)}\n`;
  }
}

/** Sends rows as they come, one JSON document on each line. */
async function sendLines({ res, context }: RawCall, rows: AsyncIterable<object>): Promise<void> {
  res.writeHead(200, {
    "content-type": "application/x-ndjson; charset=utf-8",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  });
  await pipeline(Readable.from(toLines(rows)), res).catch((error: unknown) => {
    // The head is sent. Without the last line no reader takes it for the whole.
    res.destroy();
    context.logger.debug({ err: error }, "a preview was broken off");
  });
}

async function sendPreview(deps: BillingDeps, call: RawCall): Promise<void> {
  const caller = call.context.call();
  const input = parseQuery(call, migrationPreviewQuery, { planId: call.params["planId"] ?? "" });
  await sendLines(call, await previewMigration(deps, caller, input));
}

async function sendDraftsPreview(deps: BillingDeps, call: RawCall): Promise<void> {
  const caller = call.context.call();
  const input = parseQuery(call, draftsPreviewQuery, {});
  await sendLines(call, await previewDrafts(deps, caller, input));
}

/** The preview is as long as the plan has subscribers: one JSON document on each line, and the totals on the last. */
export function createMigrationRawRoutes(deps: BillingDeps): RawRoute[] {
  return [
    {
      method: "GET",
      path: "/v1/plans/{planId}/migration-preview",
      handle: (call) => sendPreview(deps, call),
    },
    {
      method: "GET",
      path: "/v1/catalog/drafts/preview",
      handle: (call) => sendDraftsPreview(deps, call),
    },
  ];
}
