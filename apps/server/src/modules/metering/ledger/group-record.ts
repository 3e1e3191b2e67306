import type { KeyId, LeaseId, TenantId } from "@turnpike/domain/ids/ids";
import type { Environment } from "@turnpike/domain/keys/key-format";
import type { CallMethod } from "@turnpike/domain/metering/call-method";
import type { Outcome } from "@turnpike/domain/metering/outcome";
import type { GroupEntry, GroupSpend, UsageGroup } from "./usage-group.ts";

/** A number for each entry, or a single one when all entries have the same. */
type Column = number | readonly number[];

/**
 * A group as the journal has it. The calls of a few milliseconds mostly differ in their key alone, so a table of columns takes
 * the fewest bytes and the least time: a tenth of the same as objects.
 */
type GroupRecord = Pick<UsageGroup, "groupId" | "processId" | "recordedAtMs"> & {
  /** Tells a later version what it reads. */
  form: typeof FORM;
  /** Every text once; columns refer to them by index. The first one means unknown. */
  texts: string[];
  instantsMs: number[];
  /** The key of each entry. Nearly every entry has another, so an index would only add bytes. */
  keys: string[];
  columns: Column[];
  /** By the index of their entry. */
  latencies: [entry: number, buckets: readonly number[], counts: readonly number[]][];
  /** Tenant, lease and quantity in turn. */
  spends: number[];
};

const FORM = 1;
/** Stands for bytes that were not measured. */
const UNMEASURED = -1;

/** Gives each thing an index, in the order in which they come. */
function createNumbering<Thing>(things: Thing[]): (thing: Thing) => number {
  const indices = new Map(things.map((thing, index) => [thing, index]));
  return (thing) => {
    let index = indices.get(thing);
    if (index === undefined) {
      index = things.push(thing) - 1;
      indices.set(thing, index);
    }
    return index;
  };
}

/** Collects the numbers of one column. Most entries have the same as the one before. */
class ColumnBuilder<Thing> {
  readonly #toNumber: (thing: Thing) => number;
  #last: Thing | undefined;
  #number = 0;
  #count = 0;
  #numbers: number[] | undefined;

  constructor(toNumber: (thing: Thing) => number) {
    this.#toNumber = toNumber;
  }

  add(thing: Thing): void {
    if (thing !== this.#last || this.#count === 0) {
      const number = this.#toNumber(thing);
      if (this.#count > 0 && number !== this.#number) {
        this.#numbers ??= new Array<number>(this.#count).fill(this.#number);
      }
      this.#last = thing;
      this.#number = number;
    }
    this.#numbers?.push(this.#number);
    this.#count += 1;
  }

  get column(): Column {
    return this.#numbers ?? this.#number;
  }
}

function asIs(value: number): number {
  return value;
}

function toRecord(group: UsageGroup): GroupRecord {
  const texts = [""];
  const instantsMs: number[] = [];
  const textOf = createNumbering(texts);
  const instantOf = createNumbering(instantsMs);
  const ofTexts = () => new ColumnBuilder<string>(textOf);
  const ofInstants = () => new ColumnBuilder<number>(instantOf);
  const ofNumbers = () => new ColumnBuilder<number>(asIs);
  const [tenant, originKey, environment] = [ofTexts(), ofTexts(), ofTexts()];
  const [meter, outcome, method, route] = [ofTexts(), ofTexts(), ofTexts(), ofTexts()];
  const model = ofTexts();
  const [minute, periodStart, periodEnd] = [ofInstants(), ofInstants(), ofInstants()];
  const [status, calls, quantity] = [ofNumbers(), ofNumbers(), ofNumbers()];
  const [bytesIn, bytesOut] = [ofNumbers(), ofNumbers()];
  const latencies: GroupRecord["latencies"] = [];
  for (const [index, entry] of group.entries.entries()) {
    tenant.add(entry.tenantId);
    originKey.add(entry.originKeyId ?? "");
    environment.add(entry.environment);
    meter.add(entry.meterId);
    outcome.add(entry.outcome);
    status.add(entry.status);
    method.add(entry.method ?? "");
    route.add(entry.route ?? "");
    model.add(entry.model ?? "");
    minute.add(entry.minuteMs);
    periodStart.add(entry.periodStartMs);
    periodEnd.add(entry.periodEndMs);
    calls.add(entry.calls);
    quantity.add(entry.quantity);
    bytesIn.add(entry.bytesIn ?? UNMEASURED);
    bytesOut.add(entry.bytesOut ?? UNMEASURED);
    if (entry.latencies !== undefined) {
      latencies.push([index, entry.latencies.buckets, entry.latencies.counts]);
    }
  }
  const spends = group.spends.flatMap((spend) => [
    textOf(spend.tenantId),
    textOf(spend.leaseId),
    spend.quantity,
  ]);
  const { groupId, processId, recordedAtMs } = group;
  // In the order in which `fromRecord` reads them.
  const builders = [
    tenant,
    originKey,
    environment,
    meter,
    outcome,
    status,
    method,
    route,
    minute,
    periodStart,
    periodEnd,
    calls,
    quantity,
    bytesIn,
    bytesOut,
    // Records of earlier versions end before it.
    model,
  ];
  return {
    form: FORM,
    groupId,
    processId,
    recordedAtMs,
    texts,
    instantsMs,
    keys: group.entries.map(({ keyId }) => keyId),
    columns: builders.map(({ column }) => column),
    latencies,
    spends,
  };
}

function fromRecord(record: GroupRecord): UsageGroup {
  const { groupId, processId, recordedAtMs } = record;
  const text = (index: number | undefined): string => record.texts[index ?? 0] ?? "";
  const known = (index: number): string | undefined => text(index) || undefined;
  const instant = (index: number): number => record.instantsMs[index] ?? Number.NaN;
  const measured = (bytes: number): number | undefined =>
    bytes === UNMEASURED ? undefined : bytes;
  const numberOf = (entry: number, field: number): number => {
    const column = record.columns[field] ?? 0;
    return typeof column === "number" ? column : (column[entry] ?? 0);
  };
  const entries: GroupEntry[] = [];
  for (const [index, keyId] of record.keys.entries()) {
    entries.push({
      tenantId: text(numberOf(index, 0)) as TenantId,
      keyId: keyId as KeyId,
      originKeyId: known(numberOf(index, 1)) as KeyId | undefined,
      environment: text(numberOf(index, 2)) as Environment,
      meterId: text(numberOf(index, 3)),
      outcome: text(numberOf(index, 4)) as Outcome,
      status: numberOf(index, 5),
      method: known(numberOf(index, 6)) as CallMethod | undefined,
      route: known(numberOf(index, 7)),
      model: known(numberOf(index, 15)),
      minuteMs: instant(numberOf(index, 8)),
      periodStartMs: instant(numberOf(index, 9)),
      periodEndMs: instant(numberOf(index, 10)),
      calls: numberOf(index, 11),
      quantity: numberOf(index, 12),
      bytesIn: measured(numberOf(index, 13)),
      bytesOut: measured(numberOf(index, 14)),
      latencies: undefined,
    });
  }
  for (const [index, buckets, counts] of record.latencies) {
    const entry = entries[index];
    if (entry !== undefined) {
      entry.latencies = { buckets: [...buckets], counts: [...counts] };
    }
  }
  const spends: GroupSpend[] = [];
  for (let at = 0; at < record.spends.length; at += 3) {
    spends.push({
      tenantId: text(record.spends[at]) as TenantId,
      leaseId: text(record.spends[at + 1]) as LeaseId,
      quantity: record.spends[at + 2] ?? 0,
    });
  }
  return { groupId, processId, recordedAtMs, entries, spends };
}

/** Encodes a group as a record of the journal. */
export function encodeGroup(group: UsageGroup): Buffer {
  return Buffer.from(JSON.stringify(toRecord(group)), "utf8");
}

/**
 * Decodes what {@link encodeGroup} wrote. The checksum of the journal has proven the bytes.
 *
 * @throws for a record in a form of another version.
 */
export function decodeGroup(record: Buffer): UsageGroup {
  const stored = JSON.parse(record.toString("utf8")) as Omit<GroupRecord, "form"> & {
    form: unknown;
  };
  if (stored.form !== FORM) {
    throw new Error(
      `A group in the journal has form ${String(stored.form)}, which another version wrote.`,
    );
  }
  return fromRecord({ ...stored, form: FORM });
}
