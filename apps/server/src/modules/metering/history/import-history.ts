import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import type { LoggedRequest } from "@turnpike/domain/access-log/logged-request";
import { REQUESTS_METER } from "@turnpike/domain/catalog/plan";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { KeyId, TenantId } from "@turnpike/domain/ids/ids";
import type { Environment } from "@turnpike/domain/keys/key-format";
import { toCallMethod } from "@turnpike/domain/metering/call-method";
import { CLIENT_ABORTED_STATUS } from "@turnpike/domain/metering/outcome";
import { type Period, type PeriodUnit, periodAt } from "@turnpike/domain/time/period";
import { writeAudit } from "#modules/audit/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { writeGroups } from "../ledger/commit-groups.ts";
import { GroupBuilder, type MeteredCall } from "../ledger/usage-group.ts";
import {
  checksumLines,
  digestLines,
  digestOpenLine,
  findBatch,
  type HistoryLine,
  LOG_START,
} from "./history-digest.ts";
import {
  type ImportedBatch,
  isShorterCopy,
  listBatchesOfOthers,
  listImportedBatches,
  lockHistory,
  putImportedBatch,
} from "./imported-history.store.ts";

/** The tenant and key that a call belongs to. */
export type HistoryOwner = {
  tenantId: TenantId;
  keyId: KeyId;
  environment: Environment;
  /** Start of one of the tenant's billing periods, and how long each one is. */
  periodAnchor: Date;
  periodUnit: PeriodUnit;
};

/** A past call, ready to be counted. */
export type HistoryCall = { owner: HistoryOwner; request: LoggedRequest; route: string };

/** The result of one batch of lines. */
export type HistoryBatch<Read> = {
  lines: number;
  /** What was read from its lines; undefined when it was imported before and not read again. */
  reads: readonly Read[] | undefined;
};

export type HistoryInput<Read> = {
  /** Names the rules that assign lines to tenants. The same log by the same rules counts once. */
  scope: string;
  /** All tenants that the rules name. */
  tenantIds: readonly TenantId[];
  /** Pieces of the log in order, of any size. */
  lines: AsyncIterable<readonly HistoryLine[]>;
  /** Reads a line. */
  read(line: HistoryLine): Read;
  /** The call in what was read, if it counts. */
  toCall(read: Read): HistoryCall | undefined;
  /** Called after each batch is in the ledger, or would be. */
  onBatch(batch: HistoryBatch<Read>): Promise<void>;
  /** Called before anything is written for these tenants; never in a dry run. */
  prepare(tenantIds: ReadonlySet<TenantId>): Promise<void>;
  dryRun: boolean;
  /** Imports a log again that other rules assigned to the same tenants. */
  again: boolean;
  signal: AbortSignal;
  /** Lines in one transaction. Default 4,000. */
  batchLines?: number;
};

type Deps = Pick<AppServices, "transact" | "logger" | "newId">;

/** Lines in one transaction by default. */
const BATCH_LINES = 4_000;

/** Finds the billing periods of calls, which mostly follow one another. */
function createPeriods(): (owner: HistoryOwner, epochMs: number) => Period {
  const last = new Map<TenantId, Period>();
  return ({ tenantId, periodAnchor, periodUnit }, epochMs) => {
    const known = last.get(tenantId);
    if (known !== undefined && +known.start <= epochMs && epochMs < +known.end) {
      return known;
    }
    const period = periodAt(periodAnchor, periodUnit, new Date(epochMs));
    last.set(tenantId, period);
    return period;
  };
}

/** History is shown and never billed: its quantity is 0. */
function toMeteredCall({ owner, request, route }: HistoryCall, period: Period): MeteredCall {
  return {
    tenantId: owner.tenantId,
    keyId: owner.keyId,
    environment: owner.environment,
    meterId: REQUESTS_METER,
    outcome: request.status === CLIENT_ABORTED_STATUS ? "CLIENT_ABORTED" : "VALID",
    status: request.status,
    method: toCallMethod(request.method),
    route,
    occurredAtMs: request.epochMs,
    periodStartMs: period.start.getTime(),
    periodEndMs: period.end.getTime(),
    quantity: 0,
    leaseId: undefined,
  };
}

function buildGroup(deps: Deps, calls: readonly HistoryCall[]) {
  const periodOf = createPeriods();
  const builder = new GroupBuilder();
  for (const call of calls) {
    const { owner, request } = call;
    const metered = toMeteredCall(call, periodOf(owner, request.epochMs));
    builder.add(metered);
    builder.addMeasure(metered, {
      // How long a client waited before it left says nothing about the API.
      latencyMs: metered.outcome === "CLIENT_ABORTED" ? undefined : request.latencyMs,
      bytesIn: request.bytesIn,
      bytesOut: request.bytesOut,
    });
  }
  return builder.build({
    groupId: deps.newId("group"),
    processId: deps.newId("process"),
    recordedAtMs: null,
  });
}

type LogPosition = { scope: string; startDigest: string };

/** @returns False, with nothing written, when another import has begun from the same position meanwhile. */
async function writeBatch(
  deps: Deps,
  input: LogPosition & {
    tenantIds: readonly TenantId[];
    batch: ImportedBatch;
    checksums: Buffer;
    known: readonly ImportedBatch[];
    calls: readonly HistoryCall[];
  },
): Promise<boolean> {
  const group = buildGroup(deps, input.calls);
  return await deps.transact.asMeter(async (tx) => {
    await lockHistory(tx, input);
    const now = await listImportedBatches(tx, input);
    const isSame = (batch: ImportedBatch, index: number) =>
      batch.endDigest === input.known[index]?.endDigest &&
      batch.calls === input.known[index]?.calls;
    if (now.length !== input.known.length || !now.every(isSame)) {
      return false;
    }
    if (group.entries.length > 0) {
      await writeGroups(tx, deps.logger, [group]);
    }
    const { scope, startDigest, tenantIds, checksums, batch } = input;
    await putImportedBatch(tx, { scope, startDigest, tenantIds, checksums, ...batch });
    return true;
  });
}

/** A queue of lines that come in pieces of any size. */
function createQueue(pieces: AsyncIterable<readonly HistoryLine[]>) {
  const source = pieces[Symbol.asyncIterator]();
  let lines: HistoryLine[] = [];
  let isEnded = false;
  return {
    /** The next `count` lines, without taking them; fewer only at the end of the log. */
    async peek(count: number): Promise<HistoryLine[]> {
      while (!isEnded && lines.length < count) {
        const next = await source.next();
        isEnded = next.done === true;
        if (next.done !== true) {
          lines = lines.concat(next.value);
        }
      }
      return lines.slice(0, count);
    },
    drop(count: number): void {
      lines = lines.slice(count);
    },
  };
}

/** Splits off a last line without a line end, so that the lines before it are recognised when the log has grown. */
function cutOpenLine(lines: readonly HistoryLine[]): readonly HistoryLine[] {
  return lines.length > 1 && lines.at(-1)?.isOpen === true ? lines.slice(0, -1) : lines;
}

function toBatch(startDigest: string, lines: readonly HistoryLine[], calls: number): ImportedBatch {
  const [first] = lines;
  return first?.isOpen === true
    ? {
        endDigest: digestOpenLine(startDigest, first.text),
        lines: 1,
        openLength: first.text.length,
        calls,
      }
    : {
        endDigest: digestLines(startDigest, lines),
        lines: lines.length,
        openLength: null,
        calls,
      };
}

/**
 * True when a longer copy of the log was imported, which has these last lines. A last line without a line end may be cut off, so it is
 * not compared: by itself it counts as known when a batch follows here. Alone in its log it is compared as it is.
 */
async function isOfLongerCopy<Read>(
  deps: Deps,
  input: HistoryInput<Read>,
  at: { startDigest: string; ahead: readonly HistoryLine[]; known: readonly ImportedBatch[] },
  by: "these rules" | "others",
): Promise<boolean> {
  const { startDigest, ahead, known } = at;
  const whole = ahead.filter((line) => !line.isOpen);
  if (whole.length === 0 && startDigest !== LOG_START) {
    return known.length > 0;
  }
  const compared = whole.length === 0 ? ahead : whole;
  if (!known.some((batch) => batch.lines > compared.length)) {
    return false;
  }
  const { scope, tenantIds } = input;
  const checksums = checksumLines(compared);
  return await deps.transact.asMeter((tx) =>
    isShorterCopy(tx, { scope, startDigest, tenantIds, checksums, by }),
  );
}

async function assertNotByOthers<Read>(
  deps: Deps,
  input: HistoryInput<Read>,
  ahead: readonly HistoryLine[],
): Promise<void> {
  const startDigest = LOG_START;
  const known = await deps.transact.asMeter((tx) =>
    listBatchesOfOthers(tx, { ...input, startDigest }),
  );
  const isKnown =
    findBatch(known, startDigest, ahead) !== undefined ||
    (await isOfLongerCopy(deps, input, { startDigest, ahead, known }, "others"));
  if (isKnown) {
    throw new AppError({
      code: "CONFLICT",
      publicMessage:
        "This log was imported for the same tenant before, with another key or by other rules: its calls would count twice.",
    });
  }
}

/**
 * Imports a log in batches of lines, each in one transaction with the mark that it was imported. So a log that is imported twice
 * counts once, an import that was stopped continues where it was, and only the new lines of a log that has grown are imported.
 *
 * Calls keep the time at which they happened and get the quantity 0: charts show them, balances and invoices do not.
 *
 * @throws {AppError} `INSUFFICIENT_SCOPE`; `CONFLICT` when other rules gave this log to one of these tenants before.
 */
export async function importHistory<Read>(
  deps: Deps,
  context: CallContext,
  input: HistoryInput<Read>,
): Promise<void> {
  assertMay(context.actor, "tenants:write");
  const { scope, batchLines = BATCH_LINES } = input;
  const queue = createQueue(input.lines);
  let startDigest = LOG_START;
  for (;;) {
    input.signal.throwIfAborted();
    const position = { scope, startDigest };
    const known = await deps.transact.asMeter((tx) => listImportedBatches(tx, position));
    const longest = Math.max(batchLines, ...known.map((batch) => batch.lines));
    const ahead = await queue.peek(longest);
    if (ahead.length === 0) {
      return;
    }
    const found = findBatch(known, startDigest, ahead);
    const at = { startDigest, ahead, known };
    // A line that was imported alone may be the first one of a longer copy.
    const isUnsure = found === undefined || found.openLength !== null;
    if (isUnsure && (await isOfLongerCopy(deps, input, at, "these rules"))) {
      await input.onBatch({ lines: ahead.length, reads: undefined });
      return;
    }
    const lines =
      found === undefined ? cutOpenLine(ahead.slice(0, batchLines)) : ahead.slice(0, found.lines);
    if (found !== undefined && found.calls > 0) {
      await input.onBatch({ lines: lines.length, reads: undefined });
    } else {
      if (startDigest === LOG_START && !input.again) {
        await assertNotByOthers(deps, input, ahead);
      }
      if (!(await importBatch(deps, input, { startDigest, known, found, lines }))) {
        continue;
      }
    }
    queue.drop(lines.length);
    startDigest = digestLines(startDigest, lines);
  }
}

/** @returns False when another import has begun from the same position meanwhile, so that it must be checked again. */
async function importBatch<Read>(
  deps: Deps,
  input: HistoryInput<Read>,
  at: {
    startDigest: string;
    known: readonly ImportedBatch[];
    /** The same batch, when no call could be read from it before: perhaps one can be now. */
    found: ImportedBatch | undefined;
    lines: readonly HistoryLine[];
  },
): Promise<boolean> {
  const { startDigest, known, lines } = at;
  const reads = lines.map(input.read);
  const calls = reads.map(input.toCall).filter((call) => call !== undefined);
  const isOpen = lines[0]?.isOpen === true;
  const isNews = calls.length > 0 || (at.found === undefined && !isOpen);
  if (isNews && !input.dryRun) {
    await input.prepare(new Set(calls.map((call) => call.owner.tenantId)));
    const { scope, tenantIds } = input;
    const batch = toBatch(startDigest, lines, calls.length);
    const checksums = checksumLines(lines);
    const position = { scope, startDigest, tenantIds };
    if (!(await writeBatch(deps, { ...position, batch, checksums, known, calls }))) {
      return false;
    }
  }
  await input.onBatch({ lines: lines.length, reads });
  return true;
}

/** Records in the audit log that history is imported for a tenant, and from which files. */
export async function recordImport(
  deps: AppServices,
  context: CallContext,
  input: { tenantId: TenantId; files: readonly string[] },
): Promise<void> {
  assertMay(context.actor, "tenants:write");
  const { tenantId, files } = input;
  await deps.transact.asTenant(tenantId, (tx) =>
    writeAudit(deps, tx, context, {
      tenantId,
      action: "usage.imported",
      entityType: "tenant",
      entityId: tenantId,
      details: { files: [...files] },
    }),
  );
}
