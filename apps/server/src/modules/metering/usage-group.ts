import type { GroupId, KeyId, LeaseId, ProcessId, TenantId } from "@turnpike/domain/ids/ids";
import type { Environment } from "@turnpike/domain/keys/key-format";
import type { CallMethod } from "@turnpike/domain/metering/call-method";
import {
  addLatency,
  emptyLatencies,
  type LatencyHistogram,
} from "@turnpike/domain/metering/latency-histogram";
import type { Outcome } from "@turnpike/domain/metering/outcome";
import { minuteOf } from "@turnpike/domain/time/billing-period";
import { SlotBook, type SlotRules } from "./slot-book.ts";

/** One metered call, as the gateway or verification saw it. */
export type MeteredCall = {
  tenantId: TenantId;
  keyId: KeyId;
  /** The first key of its line, when the key took another one's place. */
  originKeyId?: KeyId | undefined;
  environment: Environment;
  meterId: string;
  outcome: Outcome;
  /** HTTP status of the answer. */
  status: number;
  /** Undefined, like the route, when only the key was verified. */
  method: CallMethod | undefined;
  /** Template of the path. */
  route: string | undefined;
  /** Wall clock of the call, epoch milliseconds. */
  occurredAtMs: number;
  /** The billing period whose balance the quantity was taken from, epoch milliseconds, `[start, end)`. */
  periodStartMs: number;
  periodEndMs: number;
  /** Billable units; 0 for what is recorded but not billed. */
  quantity: number;
  /** The lease that the quantity was spent from, when there is a hard limit. */
  leaseId: LeaseId | undefined;
  /** The lease of the key's own quota that it was spent from as well. */
  keyLeaseId?: LeaseId | undefined;
};

/** What is known of a metered call only once it is over. */
export type CallMeasure = {
  /** Milliseconds; undefined when they say nothing about the API, as of a call that its client left. */
  latencyMs: number | undefined;
  /** Bytes of the bodies; after an upgrade everything on the connection. */
  bytesIn: number;
  bytesOut: number;
};

/**
 * Calls that are counted together, and what was measured of them. Times are epoch milliseconds; `minuteMs` is the start of
 * the minute. The optional parts are absent when nothing is known of them, and in journals of versions that did not have them.
 */
export type GroupEntry = {
  tenantId: TenantId;
  keyId: KeyId;
  originKeyId?: KeyId | undefined;
  environment: Environment;
  meterId: string;
  outcome: Outcome;
  status: number;
  method?: CallMethod | undefined;
  route?: string | undefined;
  minuteMs: number;
  periodStartMs: number;
  periodEndMs: number;
  /** 0 when what was measured came in a later group than the calls. */
  calls: number;
  quantity: number;
  bytesIn?: number | undefined;
  bytesOut?: number | undefined;
  latencies?: LatencyHistogram | undefined;
};

export type GroupSpend = { tenantId: TenantId; leaseId: LeaseId; quantity: number };

/** Calls of a few milliseconds, summed up: the unit of journal and commit. */
export type UsageGroup = {
  groupId: GroupId;
  processId: ProcessId;
  /** Epoch milliseconds at which the usage counts as recorded; null for the database's clock at commit. */
  recordedAtMs: number | null;
  entries: GroupEntry[];
  spends: GroupSpend[];
};

/** A group that is read when its turn comes. Objects that do not outlive their use cost calls next to nothing. */
export type StoredGroup = Pick<UsageGroup, "groupId" | "processId" | "recordedAtMs"> & {
  /** Anew each time; throws when it cannot be read. */
  read(): UsageGroup;
};

type LedgerSlot = Pick<
  GroupEntry,
  "tenantId" | "outcome" | "status" | "minuteMs" | "periodStartMs" | "environment" | "meterId"
>;

/** True when calls of one key differ in nothing that the ledger tells apart, but perhaps in their minute. */
export function isSameButForMinute(
  one: Omit<LedgerSlot, "minuteMs">,
  other: Omit<LedgerSlot, "minuteMs">,
): boolean {
  return (
    one.meterId === other.meterId &&
    one.outcome === other.outcome &&
    one.status === other.status &&
    one.periodStartMs === other.periodStartMs &&
    one.environment === other.environment &&
    one.tenantId === other.tenantId
  );
}

/** Names the row of the ledger among those of one key. The period's end follows from its start. */
export function ledgerRowName(of: LedgerSlot): string {
  // The meter comes last: it is the only part without a fixed form.
  return `${of.tenantId}|${of.outcome}|${String(of.status)}|${String(of.minuteMs)}|${String(of.periodStartMs)}|${of.environment}|${of.meterId}`;
}

function minuteMsOf(of: MeteredCall | GroupEntry): number {
  return "minuteMs" in of ? of.minuteMs : minuteOf(of.occurredAtMs);
}

const MINUTE_MS = 60_000;

const ENTRIES: SlotRules<MeteredCall, GroupEntry> = {
  ownerOf: (call) => call.keyId,
  isOf: (entry, call) =>
    call.occurredAtMs >= entry.minuteMs &&
    call.occurredAtMs < entry.minuteMs + MINUTE_MS &&
    entry.route === call.route &&
    entry.method === call.method &&
    isSameButForMinute(entry, call),
  // A meter's name has no bar, so that what follows it is the route, whatever is in it.
  nameOf: (of) =>
    `${of.method ?? ""}|${ledgerRowName({ ...of, minuteMs: minuteMsOf(of) })}|${of.route ?? ""}`,
  start: (call) => ({
    tenantId: call.tenantId,
    keyId: call.keyId,
    originKeyId: call.originKeyId === call.keyId ? undefined : call.originKeyId,
    environment: call.environment,
    meterId: call.meterId,
    outcome: call.outcome,
    status: call.status,
    method: call.method,
    route: call.route,
    minuteMs: minuteMsOf(call),
    periodStartMs: call.periodStartMs,
    periodEndMs: call.periodEndMs,
    calls: 0,
    quantity: 0,
    bytesIn: undefined,
    bytesOut: undefined,
    latencies: undefined,
  }),
};

/** Collects calls into the entries of one group. */
export class GroupBuilder {
  readonly #entries = new SlotBook(ENTRIES);
  readonly #spends = new Map<string, GroupSpend>();

  get size(): number {
    return this.#entries.sums.length;
  }

  add(call: MeteredCall): void {
    const entry = this.#entryOf(call);
    entry.calls += 1;
    entry.quantity += call.quantity;
    if (call.leaseId !== undefined && call.quantity > 0) {
      this.#addSpend(call.tenantId, call.leaseId, call.quantity);
    }
    if (call.keyLeaseId !== undefined && call.quantity > 0) {
      this.#addSpend(call.tenantId, call.keyLeaseId, call.quantity);
    }
  }

  /** Adds what was measured of a call that was added before, to this group or to an earlier one. */
  addMeasure(call: MeteredCall, measure: CallMeasure): void {
    const entry = this.#entryOf(call);
    entry.bytesIn = (entry.bytesIn ?? 0) + measure.bytesIn;
    entry.bytesOut = (entry.bytesOut ?? 0) + measure.bytesOut;
    if (measure.latencyMs !== undefined) {
      entry.latencies ??= emptyLatencies();
      addLatency(entry.latencies, measure.latencyMs);
    }
  }

  #entryOf(call: MeteredCall): GroupEntry {
    return this.#entries.find(call);
  }

  #addSpend(tenantId: TenantId, leaseId: LeaseId, quantity: number): void {
    const spend = this.#spends.get(leaseId);
    if (spend === undefined) {
      this.#spends.set(leaseId, { tenantId, leaseId, quantity });
    } else {
      spend.quantity += quantity;
    }
  }

  build(identity: {
    groupId: GroupId;
    processId: ProcessId;
    recordedAtMs: number | null;
  }): UsageGroup {
    return {
      ...identity,
      entries: this.#entries.sums,
      spends: [...this.#spends.values()],
    };
  }
}

/**
 * A group as it stands in the journal: every text once, and entries as rows of whole numbers, a third of the bytes and of the
 * time that the same takes as objects.
 */
type PackedGroup = Pick<UsageGroup, "groupId" | "processId" | "recordedAtMs"> & {
  form: 2;
  /** What the rows name by place; the first stands for what is not known. */
  texts: string[];
  instantsMs: number[];
  /** {@link PACKED_FIELDS} numbers for each entry. */
  entries: number[];
  /** By the place of their entry. */
  latencies: [entry: number, buckets: readonly number[], counts: readonly number[]][];
  /** Tenant, lease and quantity in turn. */
  spends: number[];
};

const PACKED_FIELDS = 16;
/** Instead of bytes: nothing was measured. */
const UNMEASURED = -1;

/** Numbers things in the order in which they come. One field after another mostly names what it named before. */
function createNumbering<Thing>(things: Thing[]): () => (thing: Thing) => number {
  const places = new Map(things.map((thing, place) => [thing, place]));
  return () => {
    let last: Thing | undefined;
    let lastPlace = 0;
    return (thing) => {
      if (thing !== last) {
        last = thing;
        lastPlace = places.get(thing) ?? things.push(thing) - 1;
        places.set(thing, lastPlace);
      }
      return lastPlace;
    };
  };
}

function packGroup(group: UsageGroup): PackedGroup {
  const texts = [""];
  const instantsMs: number[] = [];
  const newText = createNumbering(texts);
  const newInstant = createNumbering(instantsMs);
  const [tenant, key, originKey, environment, meter, outcome, method, route] = [
    newText(),
    newText(),
    newText(),
    newText(),
    newText(),
    newText(),
    newText(),
    newText(),
  ];
  const [minute, periodStart, periodEnd] = [newInstant(), newInstant(), newInstant()];
  // With room for all of them from the start: an array that grows is copied again and again.
  const entries = new Array<number>(group.entries.length * PACKED_FIELDS);
  const latencies: PackedGroup["latencies"] = [];
  for (const [place, entry] of group.entries.entries()) {
    const at = place * PACKED_FIELDS;
    entries[at] = tenant(entry.tenantId);
    entries[at + 1] = key(entry.keyId);
    entries[at + 2] = originKey(entry.originKeyId ?? "");
    entries[at + 3] = environment(entry.environment);
    entries[at + 4] = meter(entry.meterId);
    entries[at + 5] = outcome(entry.outcome);
    entries[at + 6] = entry.status;
    entries[at + 7] = method(entry.method ?? "");
    entries[at + 8] = route(entry.route ?? "");
    entries[at + 9] = minute(entry.minuteMs);
    entries[at + 10] = periodStart(entry.periodStartMs);
    entries[at + 11] = periodEnd(entry.periodEndMs);
    entries[at + 12] = entry.calls;
    entries[at + 13] = entry.quantity;
    entries[at + 14] = entry.bytesIn ?? UNMEASURED;
    entries[at + 15] = entry.bytesOut ?? UNMEASURED;
    if (entry.latencies !== undefined) {
      latencies.push([place, entry.latencies.buckets, entry.latencies.counts]);
    }
  }
  const { groupId, processId, recordedAtMs } = group;
  const spends = group.spends.flatMap((spend) => [
    tenant(spend.tenantId),
    key(spend.leaseId),
    spend.quantity,
  ]);
  return {
    form: 2,
    groupId,
    processId,
    recordedAtMs,
    texts,
    instantsMs,
    entries,
    latencies,
    spends,
  };
}

function unpackGroup(packed: PackedGroup): UsageGroup {
  const numbers = packed.entries;
  const text = (place: number | undefined): string => packed.texts[place ?? 0] ?? "";
  const known = (place: number | undefined): string | undefined => text(place) || undefined;
  const instant = (place: number | undefined): number =>
    packed.instantsMs[place ?? -1] ?? Number.NaN;
  const measured = (bytes: number | undefined): number | undefined =>
    bytes === UNMEASURED ? undefined : bytes;
  const entries: GroupEntry[] = [];
  for (let at = 0; at < numbers.length; at += PACKED_FIELDS) {
    // biome-ignore format: one line for each field, in the order in which they are packed
    entries.push({
      tenantId: text(numbers[at]) as TenantId,
      keyId: text(numbers[at + 1]) as KeyId,
      originKeyId: known(numbers[at + 2]) as KeyId | undefined,
      environment: text(numbers[at + 3]) as Environment,
      meterId: text(numbers[at + 4]),
      outcome: text(numbers[at + 5]) as Outcome,
      status: numbers[at + 6] ?? 0,
      method: known(numbers[at + 7]) as CallMethod | undefined,
      route: known(numbers[at + 8]),
      minuteMs: instant(numbers[at + 9]),
      periodStartMs: instant(numbers[at + 10]),
      periodEndMs: instant(numbers[at + 11]),
      calls: numbers[at + 12] ?? 0,
      quantity: numbers[at + 13] ?? 0,
      bytesIn: measured(numbers[at + 14]),
      bytesOut: measured(numbers[at + 15]),
      latencies: undefined,
    });
  }
  for (const [place, buckets, counts] of packed.latencies) {
    const entry = entries[place];
    if (entry !== undefined) {
      entry.latencies = { buckets: [...buckets], counts: [...counts] };
    }
  }
  const spends: GroupSpend[] = [];
  for (let at = 0; at < packed.spends.length; at += 3) {
    spends.push({
      tenantId: text(packed.spends[at]) as TenantId,
      leaseId: text(packed.spends[at + 1]) as LeaseId,
      quantity: packed.spends[at + 2] ?? 0,
    });
  }
  const { groupId, processId, recordedAtMs } = packed;
  return { groupId, processId, recordedAtMs, entries, spends };
}

/** The form in which a group stands in the journal. */
export function encodeGroup(group: UsageGroup): Buffer {
  return Buffer.from(JSON.stringify(packGroup(group)), "utf8");
}

/** Reads what {@link encodeGroup} wrote, also by versions that wrote objects. The journal's checksum has vouched for the bytes. */
export function decodeGroup(bytes: Buffer): UsageGroup {
  const stored = JSON.parse(bytes.toString("utf8")) as PackedGroup | (UsageGroup & { form?: 1 });
  return stored.form === 2 ? unpackGroup(stored) : stored;
}
