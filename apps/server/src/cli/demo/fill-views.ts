import type { TenantId } from "@turnpike/domain/ids/ids";
import { createExport, listExports } from "#modules/analytics/index.ts";
import { listDocuments, putDocument } from "#modules/documents/index.ts";
import { openJobQueue } from "#platform/job-queue.ts";
import type { CommandSession } from "../run-command.ts";
import { at, type InstalledTenant } from "./demo-installation.ts";
import { DAY_MS, type DemoWindow } from "./demo-usage.ts";
import { DEMO_METER } from "./fill-meters.ts";

const PAGE = 100;
/** The collection in which the console keeps shared views. */
const COLLECTION = "analytics-views";
const VIEWS = [
  {
    id: "demo-failures",
    name: "Failures of the week",
    search: { range: "7d", status_class: "5xx" },
  },
  {
    id: "demo-refused",
    name: "Rate limited, 30 days",
    search: { range: "30d", outcome: "RATE_LIMITED" },
  },
  {
    id: "demo-tokens",
    name: "Tokens by model",
    search: { range: "30d", meter: DEMO_METER, part: "model" },
  },
] as const;
const EXPORT = {
  name: "Calls of the demo by route",
  format: "csv",
  measures: "requests,errors",
  dimensions: "route",
  days: 30,
} as const;

async function fillViewsOf(
  session: CommandSession,
  tenantId: TenantId,
  window: DemoWindow,
): Promise<number> {
  const { context } = session;
  const shared = { tenantId, collection: COLLECTION };
  const { items } = await listDocuments(session.deps, context, { ...shared, limit: PAGE });
  const missing = VIEWS.filter(({ id }) => !items.some(({ documentId }) => documentId === id));
  for (const { id, name, search } of missing) {
    const body = { name, search };
    const document = { ...shared, documentId: id, body };
    await putDocument(at(session, window.untilMs), context, document);
  }
  return missing.length;
}

/** Creates missing shared views. @returns How many were missing. */
export async function fillViews(
  session: CommandSession,
  installed: readonly InstalledTenant[],
  window: DemoWindow,
): Promise<number> {
  let added = 0;
  for (const { reply } of installed) {
    session.signal.throwIfAborted();
    added += await fillViewsOf(session, reply.tenantId, window);
  }
  return added;
}

/** Creates an export of the first tenant, which the process that runs the jobs writes. Exports expire, so an old demo gets none. */
export async function fillExport(
  session: CommandSession,
  installed: readonly InstalledTenant[],
  window: DemoWindow,
): Promise<number> {
  const [first] = installed;
  const { deps, context, target } = session;
  if (first === undefined || deps.clock.now().getTime() > window.untilMs + DAY_MS) {
    return 0;
  }
  const { tenantId } = first.reply;
  const { items } = await listExports(deps, context, { tenantId, limit: PAGE });
  if (items.some(({ name }) => name === EXPORT.name)) {
    return 0;
  }
  const jobs = await openJobQueue({ target, logger: deps.logger });
  try {
    const fromMs = Math.max(window.fromMs, window.untilMs - EXPORT.days * DAY_MS);
    await createExport({ ...deps, jobs }, context, {
      tenantId,
      name: EXPORT.name,
      format: EXPORT.format,
      question: {
        measures: EXPORT.measures,
        dimensions: EXPORT.dimensions,
        grain: "day",
        from: new Date(fromMs).toISOString(),
        to: new Date(window.untilMs).toISOString(),
      },
    });
  } finally {
    await jobs.close();
  }
  return 1;
}
