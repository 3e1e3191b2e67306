import type { KeyId, LeaseId, TenantId } from "@turnpike/domain/ids/ids";
import type { Environment } from "@turnpike/domain/keys/key-format";
import type { CallMethod } from "@turnpike/domain/metering/call-method";
import type { Outcome } from "@turnpike/domain/metering/outcome";
import type { GroupEntry, GroupSpend, UsageGroup } from "./usage-group.ts";

type Identity = Pick<UsageGroup, "groupId" | "processId" | "recordedAtMs">;

/** What the numbers of entries and spends name by their place, and what few entries have. */
type Common = Identity & {
  /** Every text once; the first stands for what is not known. */
  texts: string[];
  instantsMs: number[];
  /** By the place of their entry. */
  latencies: [entry: number, buckets: readonly number[], counts: readonly number[]][];
  /** Tenant, lease and quantity in turn. */
  spends: number[];
};

/** A number of each entry, or a single one where all of them have the same. */
type Column = number | readonly number[];

/**
 * A group as it stands in the journal. The calls of a few milliseconds mostly differ in their key alone, so it is as a table of
 * columns that they take the least bytes and time: a tenth of what the same takes as objects.
 */
type ColumnedGroup = Common & {
  form: 3;
  /** Of each entry. Nearly every one has another key, so that numbers for them would only come on top. */
  keys: string[];
  columns: Column[];
};

/** As versions before wrote it: {@link ROW_FIELDS} numbers for each entry, also for its key. */
type RowedGroup = Common & { form: 2; entries: number[] };

/** Numbers of an entry in a row: the tenant, the key, then the other columns. */
const ROW_FIELDS = 16;
/** Instead of bytes: nothing was measured. */
const UNMEASURED = -1;

/** Numbers things in the order in which they come. */
function createNumbering<Thing>(things: Thing[]): (thing: Thing) => number {
  const places = new Map(things.map((thing, place) => [thing, place]));
  return (thing) => {
    let place = places.get(thing);
    if (place === undefined) {
      place = things.push(thing) - 1;
      places.set(thing, place);
    }
    return place;
  };
}

/** Collects the numbers of one field. One entry after another mostly has the same. */
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

function toColumns(group: UsageGroup): ColumnedGroup {
  const texts = [""];
  const instantsMs: number[] = [];
  const textOf = createNumbering(texts);
  const instantOf = createNumbering(instantsMs);
  const ofTexts = () => new ColumnBuilder<string>(textOf);
  const ofInstants = () => new ColumnBuilder<number>(instantOf);
  const ofNumbers = () => new ColumnBuilder<number>(asIs);
  const [tenant, originKey, environment] = [ofTexts(), ofTexts(), ofTexts()];
  const [meter, outcome, method, route] = [ofTexts(), ofTexts(), ofTexts(), ofTexts()];
  const [minute, periodStart, periodEnd] = [ofInstants(), ofInstants(), ofInstants()];
  const [status, calls, quantity] = [ofNumbers(), ofNumbers(), ofNumbers()];
  const [bytesIn, bytesOut] = [ofNumbers(), ofNumbers()];
  const latencies: Common["latencies"] = [];
  for (const [place, entry] of group.entries.entries()) {
    tenant.add(entry.tenantId);
    originKey.add(entry.originKeyId ?? "");
    environment.add(entry.environment);
    meter.add(entry.meterId);
    outcome.add(entry.outcome);
    status.add(entry.status);
    method.add(entry.method ?? "");
    route.add(entry.route ?? "");
    minute.add(entry.minuteMs);
    periodStart.add(entry.periodStartMs);
    periodEnd.add(entry.periodEndMs);
    calls.add(entry.calls);
    quantity.add(entry.quantity);
    bytesIn.add(entry.bytesIn ?? UNMEASURED);
    bytesOut.add(entry.bytesOut ?? UNMEASURED);
    if (entry.latencies !== undefined) {
      latencies.push([place, entry.latencies.buckets, entry.latencies.counts]);
    }
  }
  const spends = group.spends.flatMap((spend) => [
    textOf(spend.tenantId),
    textOf(spend.leaseId),
    spend.quantity,
  ]);
  const { groupId, processId, recordedAtMs } = group;
  // In the order in which they are read, as in the rows of versions before.
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
  ];
  return {
    form: 3,
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

/**
 * @param keys - Of each entry.
 * @param numberOf - The number of an entry in a column.
 */
function toGroup(
  common: Common,
  keys: readonly string[],
  numberOf: (place: number, column: number) => number,
): UsageGroup {
  const text = (place: number | undefined): string => common.texts[place ?? 0] ?? "";
  const known = (place: number): string | undefined => text(place) || undefined;
  const instant = (place: number): number => common.instantsMs[place] ?? Number.NaN;
  const measured = (bytes: number): number | undefined =>
    bytes === UNMEASURED ? undefined : bytes;
  const entries: GroupEntry[] = [];
  for (const [place, keyId] of keys.entries()) {
    entries.push({
      tenantId: text(numberOf(place, 0)) as TenantId,
      keyId: keyId as KeyId,
      originKeyId: known(numberOf(place, 1)) as KeyId | undefined,
      environment: text(numberOf(place, 2)) as Environment,
      meterId: text(numberOf(place, 3)),
      outcome: text(numberOf(place, 4)) as Outcome,
      status: numberOf(place, 5),
      method: known(numberOf(place, 6)) as CallMethod | undefined,
      route: known(numberOf(place, 7)),
      minuteMs: instant(numberOf(place, 8)),
      periodStartMs: instant(numberOf(place, 9)),
      periodEndMs: instant(numberOf(place, 10)),
      calls: numberOf(place, 11),
      quantity: numberOf(place, 12),
      bytesIn: measured(numberOf(place, 13)),
      bytesOut: measured(numberOf(place, 14)),
      latencies: undefined,
    });
  }
  for (const [place, buckets, counts] of common.latencies) {
    const entry = entries[place];
    if (entry !== undefined) {
      entry.latencies = { buckets: [...buckets], counts: [...counts] };
    }
  }
  const spends: GroupSpend[] = [];
  for (let at = 0; at < common.spends.length; at += 3) {
    spends.push({
      tenantId: text(common.spends[at]) as TenantId,
      leaseId: text(common.spends[at + 1]) as LeaseId,
      quantity: common.spends[at + 2] ?? 0,
    });
  }
  const { groupId, processId, recordedAtMs } = common;
  return { groupId, processId, recordedAtMs, entries, spends };
}

function fromColumns(stored: ColumnedGroup): UsageGroup {
  return toGroup(stored, stored.keys, (place, field) => {
    const column = stored.columns[field] ?? 0;
    return typeof column === "number" ? column : (column[place] ?? 0);
  });
}

function fromRows({ entries, ...stored }: RowedGroup): UsageGroup {
  const at = (place: number, field: number) => entries[place * ROW_FIELDS + field] ?? 0;
  const count = entries.length / ROW_FIELDS;
  const keys = Array.from({ length: count }, (_, place) => stored.texts[at(place, 1)] ?? "");
  return toGroup(stored, keys, (place, column) => at(place, column === 0 ? 0 : column + 1));
}

/** The record of a group in the journal. */
export function encodeGroup(group: UsageGroup): Buffer {
  return Buffer.from(JSON.stringify(toColumns(group)), "utf8");
}

/**
 * Reads what {@link encodeGroup} wrote, also by versions that wrote rows or objects. The journal's checksum has vouched for the
 * bytes.
 *
 * @throws when a later version wrote it.
 */
export function decodeGroup(record: Buffer): UsageGroup {
  const stored = JSON.parse(record.toString("utf8")) as
    | ColumnedGroup
    | RowedGroup
    | (UsageGroup & { form?: 1 });
  switch (stored.form) {
    case 3:
      return fromColumns(stored);
    case 2:
      return fromRows(stored);
    case 1:
    case undefined:
      return stored;
    default:
      throw new Error(
        `A group stands in the journal in form ${String((stored as { form: unknown }).form)}, which a later version wrote.`,
      );
  }
}
