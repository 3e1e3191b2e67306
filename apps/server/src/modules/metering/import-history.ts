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
import { writeGroups } from "./commit-groups.ts";
import {
  checksumLines,
  digestLines,
  digestOpenLine,
  findPart,
  type HistoryLine,
  LOG_START,
} from "./history-digest.ts";
import {
  type ImportedPart,
  isShorterCopy,
  listImportedParts,
  listPartsOfOthers,
  lockHistory,
  putImportedPart,
} from "./imported-history.store.ts";
import { GroupBuilder, type MeteredCall } from "./usage-group.ts";

/** Whose call it was. */
export type HistoryOwner = {
  tenantId: TenantId;
  keyId: KeyId;
  environment: Environment;
  /** Start of one of the tenant's billing periods, and how long each one is. */
  periodAnchor: Date;
  periodUnit: PeriodUnit;
};

/** A call of the past, ready to be counted. */
export type HistoryCall = { owner: HistoryOwner; request: LoggedRequest; route: string };

/** What a part of a log came to. */
export type HistoryPart<Read> = {
  lines: number;
  /** What was read in its lines; undefined when it had been imported before, and was not read again. */
  reads: readonly Read[] | undefined;
};

export type HistoryInput<Read> = {
  /** Names the rules by which lines are given to tenants: the same log by the same rules counts once. */
  scope: string;
  /** Everybody whom the rules name. */
  tenantIds: readonly TenantId[];
  /** Pieces of the log in order, of any size. */
  lines: AsyncIterable<readonly HistoryLine[]>;
  /** Reads a line. */
  read(line: HistoryLine): Read;
  /** The call in what was read, if there is one that counts. */
  toCall(read: Read): HistoryCall | undefined;
  /** Called after each part is in the ledger, or would be. */
  onPart(part: HistoryPart<Read>): Promise<void>;
  /** Called before anything of these tenants is written; not at all in a dry run. */
  prepare(tenantIds: ReadonlySet<TenantId>): Promise<void>;
  dryRun: boolean;
  /** Imports what other rules gave to the same tenants before. */
  again: boolean;
  signal: AbortSignal;
  /** Lines in one transaction. Default 4,000. */
  partLines?: number;
};

type Deps = Pick<AppServices, "transact" | "logger" | "newId">;

/** Lines in one transaction, unless it was asked for fewer. */
const PART_LINES_MAX = 4_000;

/** Finds billing periods of calls that mostly follow one another. */
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

/** History is drawn and never billed: its quantity is 0. */
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

type Place = { scope: string; startDigest: string };

/** @returns False, with nothing written, when somebody else imported from this place meanwhile. */
async function writePart(
  deps: Deps,
  input: Place & {
    tenantIds: readonly TenantId[];
    part: ImportedPart;
    checksums: Buffer;
    known: readonly ImportedPart[];
    calls: readonly HistoryCall[];
  },
): Promise<boolean> {
  const group = buildGroup(deps, input.calls);
  return await deps.transact.asMeter(async (tx) => {
    await lockHistory(tx, input);
    const now = await listImportedParts(tx, input);
    const isSame = (part: ImportedPart, place: number) =>
      part.endDigest === input.known[place]?.endDigest && part.calls === input.known[place]?.calls;
    if (now.length !== input.known.length || !now.every(isSame)) {
      return false;
    }
    if (group.entries.length > 0) {
      await writeGroups(tx, deps.logger, [group]);
    }
    const { scope, startDigest, tenantIds, checksums, part } = input;
    await putImportedPart(tx, { scope, startDigest, tenantIds, checksums, ...part });
    return true;
  });
}

/** Pieces of any size as lines to look at and to take away. */
function createQueue(pieces: AsyncIterable<readonly HistoryLine[]>) {
  const source = pieces[Symbol.asyncIterator]();
  let lines: HistoryLine[] = [];
  let isEnded = false;
  return {
    /** The next lines, at most so many; fewer only at the end of the log. */
    async look(count: number): Promise<HistoryLine[]> {
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

/** A last line without an end is a part of its own, so that all before it is known again when the log has grown. */
function cutOpenLine(lines: readonly HistoryLine[]): readonly HistoryLine[] {
  return lines.length > 1 && lines.at(-1)?.isOpen === true ? lines.slice(0, -1) : lines;
}

function toPart(startDigest: string, lines: readonly HistoryLine[], calls: number): ImportedPart {
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
 * True when a copy of the log that goes on behind these last lines was imported: then they are in it. A last line without an
 * end says too little to be compared; it is taken for known where something is known to follow.
 */
async function isOfLongerCopy<Read>(
  deps: Deps,
  input: HistoryInput<Read>,
  at: { startDigest: string; ahead: readonly HistoryLine[]; known: readonly ImportedPart[] },
  by: "these rules" | "others",
): Promise<boolean> {
  const { startDigest, ahead, known } = at;
  const whole = ahead.filter((line) => !line.isOpen);
  if (whole.length === 0) {
    return startDigest !== LOG_START && known.length > 0;
  }
  if (!known.some((part) => part.lines > whole.length)) {
    return false;
  }
  const { scope, tenantIds } = input;
  const checksums = checksumLines(whole);
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
    listPartsOfOthers(tx, { ...input, startDigest }),
  );
  const isKnown =
    findPart(known, startDigest, ahead) !== undefined ||
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
 * Imports a log: a bounded number of lines at a time, each part in one transaction with the mark that it was imported. So a log
 * that is imported twice counts once, one that was stopped anywhere goes on where it was, and of one that has grown only what
 * is new is imported.
 *
 * Its calls get the time at which they happened, and the quantity 0: they are drawn, and touch neither balance nor invoice.
 *
 * @throws {AppError} `INSUFFICIENT_SCOPE`; `CONFLICT` when other rules gave this log to one of these tenants before.
 */
export async function importHistory<Read>(
  deps: Deps,
  context: CallContext,
  input: HistoryInput<Read>,
): Promise<void> {
  assertMay(context.actor, "tenants:write");
  const { scope, partLines = PART_LINES_MAX } = input;
  const queue = createQueue(input.lines);
  let startDigest = LOG_START;
  for (;;) {
    input.signal.throwIfAborted();
    const place = { scope, startDigest };
    const known = await deps.transact.asMeter((tx) => listImportedParts(tx, place));
    const longest = Math.max(partLines, ...known.map((part) => part.lines));
    const ahead = await queue.look(longest);
    if (ahead.length === 0) {
      return;
    }
    const found = findPart(known, startDigest, ahead);
    const at = { startDigest, ahead, known };
    if (found === undefined && (await isOfLongerCopy(deps, input, at, "these rules"))) {
      await input.onPart({ lines: ahead.length, reads: undefined });
      return;
    }
    const lines =
      found === undefined ? cutOpenLine(ahead.slice(0, partLines)) : ahead.slice(0, found.lines);
    if (found !== undefined && found.calls > 0) {
      await input.onPart({ lines: lines.length, reads: undefined });
    } else {
      if (startDigest === LOG_START && !input.again) {
        await assertNotByOthers(deps, input, ahead);
      }
      if (!(await importPart(deps, input, { startDigest, known, found, lines }))) {
        continue;
      }
    }
    queue.drop(lines.length);
    startDigest = digestLines(startDigest, lines);
  }
}

/** @returns False when it has to be looked at anew, because somebody else imported from this place meanwhile. */
async function importPart<Read>(
  deps: Deps,
  input: HistoryInput<Read>,
  at: {
    startDigest: string;
    known: readonly ImportedPart[];
    /** The same part when nothing could be read in it before: perhaps it can now. */
    found: ImportedPart | undefined;
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
    const part = toPart(startDigest, lines, calls.length);
    const checksums = checksumLines(lines);
    const place = { scope, startDigest, tenantIds };
    if (!(await writePart(deps, { ...place, part, checksums, known, calls }))) {
      return false;
    }
  }
  await input.onPart({ lines: lines.length, reads });
  return true;
}

/** Writes down that history is being imported for a tenant, and from where. */
export async function noteImport(
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
