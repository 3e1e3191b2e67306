import type { TenantId } from "@turnpike/domain/ids/ids";
import type { HistoryCall } from "#modules/metering/index.ts";
import type { LineRead } from "./read-history-line.ts";

/** Lines by result. The last four were read in this run. */
type Counts = {
  lines: number;
  /** Imported before, so not read again. */
  known: number;
  imported: number;
  bad: number;
  ignored: number;
  unmatched: number;
};

export type FileSummary = Counts & {
  name: string;
  /** Why the rest of it could not be read; null for a file that was read to its end. */
  failure: string | null;
};

export type BadLine = { file: string; line: number; reason: string };

export type ImportSummary = Counts & {
  dryRun: boolean;
  /** The first and the last call that this run imported, ISO 8601, UTC. */
  from: string | null;
  to: string | null;
  /** Days of UTC, in order. */
  days: { day: string; calls: number }[];
  statuses: { status: number; calls: number }[];
  tenants: { tenantId: TenantId; slug: string; calls: number; console: string }[];
  /** How many there are, and those with most calls. Beyond ten thousand they are no longer told apart. */
  routes: { count: number; most: { route: string; calls: number }[] };
  files: FileSummary[];
  badLines: BadLine[];
  /** Bad lines beyond those. */
  badLinesOmitted: number;
  seconds: number;
  linesPerSecond: number;
};

const BAD_LINES_MAX = 100;
const ROUTES_MAX = 10_000;
const ROUTES_SHOWN = 10;
const DAY_MS = 86_400_000;

const NOTHING: Counts = { lines: 0, known: 0, imported: 0, bad: 0, ignored: 0, unmatched: 0 };

function add<Key>(counts: Map<Key, number>, key: Key, calls = 1): void {
  counts.set(key, (counts.get(key) ?? 0) + calls);
}

function toDay(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 10);
}

function byName<Key extends string | number>([one]: [Key, number], [other]: [Key, number]): number {
  return one < other ? -1 : 1;
}

/** Where the console shows this range of days to the members of a tenant. */
function toAddress(consoleUrl: string, slug: string, range: { fromMs: number; toMs: number }) {
  const from = `${toDay(range.fromMs)}T00:00:00.000Z`;
  const to = `${toDay(range.toMs + DAY_MS)}T00:00:00.000Z`;
  const search = new URLSearchParams({ tenant: slug, from, to, timeZone: "UTC" });
  return `${consoleUrl}/analytics?${search.toString()}`;
}

/** Counts the lines of an import by result, in memory that does not grow with them. */
export class ImportTally {
  readonly #files: FileSummary[] = [];
  readonly #days = new Map<number, number>();
  readonly #statuses = new Map<number, number>();
  readonly #tenants = new Map<TenantId, number>();
  readonly #routes = new Map<string, number>();
  readonly #badLines: BadLine[] = [];
  #bad = 0;
  #fromMs = Number.POSITIVE_INFINITY;
  #toMs = Number.NEGATIVE_INFINITY;

  get lines(): number {
    return this.#files.reduce((sum, file) => sum + file.lines, 0);
  }

  startFile(name: string): FileSummary {
    const file = { name, ...NOTHING, failure: null };
    this.#files.push(file);
    return file;
  }

  addKnown(file: FileSummary, lines: number): void {
    file.lines += lines;
    file.known += lines;
  }

  /** @returns The bad lines among these. */
  addReads(file: FileSummary, reads: readonly LineRead[]): BadLine[] {
    const bad: BadLine[] = [];
    for (const read of reads) {
      file.lines += 1;
      if (typeof read === "string") {
        file[read] += 1;
      } else if ("bad" in read) {
        file.bad += 1;
        bad.push({ file: file.name, line: file.lines, reason: read.bad });
      } else {
        file.imported += 1;
        this.#addCall(read.call);
      }
    }
    this.#bad += bad.length;
    this.#badLines.push(...bad.slice(0, BAD_LINES_MAX - this.#badLines.length));
    return bad;
  }

  #addCall({ owner, request, route }: HistoryCall): void {
    add(this.#days, Math.floor(request.epochMs / DAY_MS));
    add(this.#statuses, request.status);
    add(this.#tenants, owner.tenantId);
    if (this.#routes.size < ROUTES_MAX || this.#routes.has(route)) {
      add(this.#routes, route);
    }
    this.#fromMs = Math.min(this.#fromMs, request.epochMs);
    this.#toMs = Math.max(this.#toMs, request.epochMs);
  }

  summarise(input: {
    dryRun: boolean;
    tenants: ReadonlyMap<TenantId, { slug: string }>;
    consoleUrl: string;
    seconds: number;
  }): ImportSummary {
    const files = this.#files;
    const sum = (name: keyof Counts) => files.reduce((total, file) => total + file[name], 0);
    const range = { fromMs: this.#fromMs, toMs: this.#toMs };
    const hasCalls = this.#tenants.size > 0;
    const byCalls = [...this.#routes].sort(([, one], [, other]) => other - one);
    return {
      dryRun: input.dryRun,
      lines: sum("lines"),
      known: sum("known"),
      imported: sum("imported"),
      bad: sum("bad"),
      ignored: sum("ignored"),
      unmatched: sum("unmatched"),
      from: hasCalls ? new Date(range.fromMs).toISOString() : null,
      to: hasCalls ? new Date(range.toMs).toISOString() : null,
      days: [...this.#days]
        .sort(byName)
        .map(([day, calls]) => ({ day: toDay(day * DAY_MS), calls })),
      statuses: [...this.#statuses].sort(byName).map(([status, calls]) => ({ status, calls })),
      tenants: [...this.#tenants].map(([tenantId, calls]) => {
        const slug = input.tenants.get(tenantId)?.slug ?? tenantId;
        return { tenantId, slug, calls, console: toAddress(input.consoleUrl, slug, range) };
      }),
      routes: {
        count: byCalls.length,
        most: byCalls.slice(0, ROUTES_SHOWN).map(([route, calls]) => ({ route, calls })),
      },
      files,
      badLines: this.#badLines,
      badLinesOmitted: this.#bad - this.#badLines.length,
      seconds: Math.round(input.seconds * 1_000) / 1_000,
      linesPerSecond: Math.round(sum("lines") / Math.max(0.001, input.seconds)),
    };
  }
}
