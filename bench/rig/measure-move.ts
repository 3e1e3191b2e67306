import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { BenchOptions, BenchResult } from "./bench.ts";
import type { BenchCell, BenchCells } from "./bench-cells.ts";
import { type CustomerKey, type Customers, createCustomers } from "./customers.ts";
import { callJson } from "./product.ts";
import { median, medianRatio, round } from "./statistics.ts";

const EVENTS = 100_000;
const EVENTS_PER_BATCH = 1_000;
const METER = {
  meterId: "tokens",
  name: "Tokens",
  unit: "token",
  aggregation: "sum",
  eventType: "llm.call",
  valuePointer: "/tokens",
};
const CALL_EVERY_MS = 20;

async function sendEvents(cell: BenchCell, customers: Customers): Promise<void> {
  const [subject = ""] = customers.tenantIds;
  for (let sent = 0; sent < EVENTS; sent += EVENTS_PER_BATCH) {
    const events = Array.from({ length: EVENTS_PER_BATCH }, (_, index) => ({
      id: `event-${String(sent + index)}`,
      type: METER.eventType,
      data: { tokens: 1 + (index % 997) },
    }));
    await callJson(cell.product.port, {
      method: "POST",
      path: "/v1/events",
      credential: customers.serviceKey,
      mediaType: "application/cloudevents-batch+json",
      body: events.map((event) => ({ specversion: "1.0", source: "/bench", subject, ...event })),
    });
  }
}

/** Calls with a key all the time. @returns What ends the calls, and says for how many seconds they were refused. */
function startCaller(port: number, key: string) {
  let firstRefusedMs: number | undefined;
  let lastRefusedMs = 0;
  let isOver = false;
  async function callOn(): Promise<void> {
    while (!isOver) {
      const answer = await fetch(`http://127.0.0.1:${String(port)}/small`, {
        headers: { "x-api-key": key },
        signal: AbortSignal.timeout(30_000),
      });
      await answer.body?.cancel();
      if (answer.status === 503) {
        firstRefusedMs ??= performance.now();
        lastRefusedMs = performance.now();
      } else if (answer.status !== 200) {
        throw new Error(`A call during the move was answered with ${String(answer.status)}.`);
      }
      await new Promise((resolve) => setTimeout(resolve, CALL_EVERY_MS));
    }
  }
  const called = callOn();
  called.catch(() => undefined);
  return async (): Promise<number> => {
    isOver = true;
    await called;
    return (lastRefusedMs - (firstRefusedMs ?? lastRefusedMs)) / 1_000;
  };
}

type Moved = { rows: number; seconds: number; refusedSeconds: number };

async function move(
  { tenantId, key }: CustomerKey,
  { from, to }: { from: BenchCell; to: BenchCell },
): Promise<Moved> {
  const stop = startCaller(to.product.gatewayPort, key);
  const startedAtMs = performance.now();
  const args = ["tenants", "move", tenantId, "--to", to.addressPath, "--json"];
  const { rows } = JSON.parse(await from.turnpike(...args)) as { rows: number };
  const seconds = (performance.now() - startedAtMs) / 1_000;
  return { rows, seconds, refusedSeconds: await stop() };
}

/** Copies the same rows by PostgreSQL alone: by COPY to a file, and by COPY from it into tables with the same indexes. */
async function copyBare(
  tenantId: string,
  { from, to, folder }: { from: BenchCell; to: BenchCell; folder: string },
): Promise<Copied> {
  const tables = await from.sql<{ name: string }[]>`
    select c.relname as name
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and a.attname = 'tenant_id' and not a.attisdropped and a.attgenerated = ''`;
  const path = join(folder, "bench.copy");
  let rows = 0;
  let seconds = 0;
  for (const { name } of tables) {
    const columns = await from.sql<{ name: string }[]>`
      select attname as name from pg_attribute
      where attrelid = ${name}::regclass and attnum > 0 and not attisdropped and attgenerated = ''`;
    const list = columns.map((column) => `"${column.name}"`).join(", ");
    await to.sql`create table bench_copy (like ${to.sql(name)} including all)`;
    const startedAtMs = performance.now();
    await from.sql.unsafe(
      `copy (select ${list} from "${name}" where tenant_id = '${tenantId}') to '${path}' (format binary)`,
    );
    const copied = await to.sql.unsafe(`copy bench_copy (${list}) from '${path}' (format binary)`);
    seconds += (performance.now() - startedAtMs) / 1_000;
    rows += copied.count;
    await to.sql`drop table bench_copy`;
    await rm(path);
  }
  return { rows, seconds };
}

type Kind = "busy" | "empty";
type Copied = { rows: number; seconds: number };

/** Makes a tenant with usage and one without in the east. The meter of the usage is in both cells. */
async function createMovers(
  { east, west }: BenchCells,
  options: BenchOptions,
): Promise<Record<Kind, CustomerKey>> {
  for (const { product } of [east, west]) {
    const { serviceKey } = await createCustomers(product, { tenants: 0, keys: 0 });
    await callJson(product.port, {
      method: "POST",
      path: "/v1/meters",
      credential: serviceKey,
      body: METER,
    });
  }
  const busy = await createCustomers(east.product, { tenants: 1, keys: 1 });
  const empty = await createCustomers(east.product, { tenants: 1, keys: 1 });
  options.note(`${String(EVENTS)} events`);
  await sendEvents(east, busy);
  const [busyKey, emptyKey] = [...busy.keys, ...empty.keys];
  if (busyKey === undefined || emptyKey === undefined) {
    throw new Error("There are no keys to call with.");
  }
  return { busy: busyKey, empty: emptyKey };
}

function toResult(moves: Record<Kind, Moved[]>, bare: readonly Copied[]): BenchResult {
  const of = (kind: Kind, name: keyof Moved) => median(moves[kind].map((each) => each[name]));
  const seconds = (kind: Kind, name: "seconds" | "refusedSeconds") => round(of(kind, name));
  const perSecond = (copied: readonly Copied[]) => copied.map((each) => each.rows / each.seconds);
  const sentence = (tenant: string, kind: Kind) =>
    `A tenant with ${tenant}, ${String(of(kind, "rows"))} rows, moves in ${String(seconds(kind, "seconds"))} s, the start of the command included; for ${String(seconds(kind, "refusedSeconds"))} s of them its calls are refused.`;
  return {
    table: [],
    ratios: { bareCopy: round(medianRatio(perSecond(moves.busy), perSecond(bare))) },
    figures: {
      rowsMoved: of("busy", "rows"),
      moveSeconds: seconds("busy", "seconds"),
      moveSecondsWithoutUsage: seconds("empty", "seconds"),
      refusedSeconds: seconds("busy", "refusedSeconds"),
      refusedSecondsWithoutUsage: seconds("empty", "refusedSeconds"),
      rowsPerSecond: Math.round(median(perSecond(moves.busy))),
      bareCopyRowsPerSecond: Math.round(median(perSecond(bare))),
    },
    remarks: [
      sentence(`${String(EVENTS)} events`, "busy"),
      sentence("no usage", "empty"),
      "It moves to the other cell and back, while a program calls it all the time at the cell that it moves to.",
      "bareCopy: rows a second of the move over those of COPY, which writes rows of the same tenant to a file and from it into tables with the same indexes, compares nothing and deletes nothing.",
    ],
  };
}

/** Moves two tenants, one with usage and one without, to the other cell and back. */
export async function measureMove(cells: BenchCells, options: BenchOptions): Promise<BenchResult> {
  const { east, west, databaseFolder: folder } = cells;
  const movers = await createMovers(cells, options);
  const moves: Record<Kind, Moved[]> = { busy: [], empty: [] };
  const bare: Copied[] = [];
  for (let turn = 0; turn < options.rounds; turn += 1) {
    options.note(`move ${String(turn + 1)} of ${String(options.rounds)}`);
    const [from, to] = turn % 2 === 0 ? [east, west] : [west, east];
    bare.push(await copyBare(movers.busy.tenantId, { from, to, folder }));
    moves.busy.push(await move(movers.busy, { from, to }));
    moves.empty.push(await move(movers.empty, { from, to }));
  }
  return toResult(moves, bare);
}
