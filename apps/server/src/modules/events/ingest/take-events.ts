import {
  EVENT_DATA_BYTES_MAX,
  EVENTS_MAX,
  type EventReceipt,
  type EventResult,
} from "@turnpike/contract/events";
import {
  type Actor,
  assertMay,
  assertMayInTenant,
  type CallContext,
  nameSender,
} from "@turnpike/domain/access/actor";
import { AppError } from "@turnpike/domain/errors/app-error";
import { type CloudEvent, parseCloudEvent } from "@turnpike/domain/events/cloud-event";
import {
  EVENT_DAYS_BACK,
  EVENT_MINUTES_AHEAD,
  judgeEventTime,
} from "@turnpike/domain/events/event-time";
import { measureEvent } from "@turnpike/domain/events/measure-event";
import type { Rejection, RejectionCode } from "@turnpike/domain/events/rejection";
import type { KeyId, TenantId } from "@turnpike/domain/ids/ids";
import { withoutQuery } from "@turnpike/domain/privacy/redact";
import { isStorableText } from "@turnpike/domain/text/storable-text";
import { periodAt } from "@turnpike/domain/time/period";
import type { AppServices } from "#platform/app-services.ts";
import { createTimeSlices, type TimeSlices } from "#platform/time-slices.ts";
import { findKnownEvents, insertRejections } from "../events.store.ts";
import { decodeEventData } from "./decode-event-data.ts";
import type { DimensionRegistry } from "./dimension-registry.ts";
import { type EventRow, hashEvent } from "./event-row.ts";
import { type EventWriter, ROWS_IN_ONE_GO } from "./event-writer.ts";
import type { EventMeters, MeterCache } from "./meter-cache.ts";
import type { RejectionLimit } from "./rejection-limit.ts";
import type { Subject, SubjectDirectory } from "./subject-directory.ts";

export type TakeEventsDeps = Pick<AppServices, "transact" | "clock"> & {
  writer: Pick<EventWriter, "write">;
  meters: MeterCache;
  subjects: SubjectDirectory;
  dimensions: DimensionRegistry;
  rejections: RejectionLimit;
  /** Requests whose events are being taken. */
  underWay: Set<Promise<unknown>>;
  /** The first key that a tenant's key was rolled from. */
  findOriginKey(key: { tenantId: TenantId; keyId: KeyId }): Promise<KeyId>;
};

/** Most tenants move within seconds. */
const MOVING_RETRY_SECONDS = 5;
/** Retries when meters change while events are measured. */
const STALE_MAX = 5;

type Sender = { tenantId: TenantId; key: NonNullable<EventRow["key"]> } | undefined;

/** One event of the request, judged without the database. */
type Judged =
  | { event: CloudEvent; subject: Subject; data: string | null }
  | { rejection: Rejection; value: unknown; tenantId: TenantId | null };

function reject(code: RejectionCode, reason: string): Rejection {
  return { code, reason };
}

/** @throws {AppError} `INSUFFICIENT_SCOPE`. */
export function assertMayWriteEvents(actor: Actor): void {
  if (actor.type === "key") {
    assertMayInTenant(actor, "events:write", actor.tenantId);
  } else {
    assertMay(actor, "events:write");
  }
}

async function toSender(deps: TakeEventsDeps, actor: Actor): Promise<Sender> {
  if (actor.type !== "key") {
    return;
  }
  const { tenantId } = actor;
  const keyId = actor.id as KeyId;
  return { tenantId, key: { keyId, originKeyId: await deps.findOriginKey({ tenantId, keyId }) } };
}

/** The data as JSON, or why it cannot be stored. */
function encodeData(data: unknown): { text: string | null } | Rejection {
  if (data === undefined) {
    return { text: null };
  }
  let text: string;
  try {
    text = JSON.stringify(data);
  } catch {
    return reject("INVALID_EVENT", "The data is nested too deeply.");
  }
  // Each unit of a text takes at most three bytes in UTF-8.
  const isLarge =
    text.length * 3 > EVENT_DATA_BYTES_MAX && Buffer.byteLength(text) > EVENT_DATA_BYTES_MAX;
  return isLarge
    ? reject("EVENT_TOO_LARGE", `The data may have at most ${String(EVENT_DATA_BYTES_MAX)} bytes.`)
    : { text };
}

function judgeTime(event: CloudEvent, nowMs: number): Rejection | undefined {
  switch (judgeEventTime(event.timeMs ?? nowMs, nowMs)) {
    case "too old":
      return reject("TOO_OLD", `Events may be at most ${String(EVENT_DAYS_BACK)} days old.`);
    case "too far ahead":
      return reject(
        "TOO_FAR_AHEAD",
        `Events may be at most ${String(EVENT_MINUTES_AHEAD)} minutes ahead.`,
      );
    default:
      return;
  }
}

function judgeSubject(
  event: CloudEvent,
  sender: Sender,
  subjects: ReadonlyMap<string, Subject | null>,
): Subject | Rejection {
  const named = event.subject === undefined ? undefined : subjects.get(event.subject);
  if (sender === undefined) {
    return (
      named ??
      reject(
        "UNKNOWN_SUBJECT",
        event.subject === undefined
          ? "The subject must name the tenant, by its id or your own name for it."
          : "There is no tenant with this id or external id.",
      )
    );
  }
  const own = subjects.get(sender.tenantId);
  if (own === undefined || own === null) {
    return reject("UNKNOWN_SUBJECT", "The tenant of this key is not known.");
  }
  return event.subject === undefined || named?.tenantId === sender.tenantId
    ? own
    : reject("FOREIGN_SUBJECT", "A tenant's key may only report usage of its own tenant.");
}

function judge(
  value: unknown,
  known: {
    sender: Sender;
    subjects: ReadonlyMap<string, Subject | null>;
    nowMs: number;
  },
): Judged {
  const refuse = (rejection: Rejection, tenantId: TenantId | null): Judged => ({
    rejection,
    value,
    tenantId,
  });
  const own = known.sender?.tenantId ?? null;
  const decoded = decodeEventData(value);
  const parsed = decoded.ok ? parseCloudEvent(decoded.value) : decoded;
  if (!parsed.ok) {
    const named = known.subjects.get(shownText(value, "subject") ?? "")?.tenantId;
    return refuse(parsed.rejection, own ?? named ?? null);
  }
  const { event } = parsed;
  const subject = judgeSubject(event, known.sender, known.subjects);
  if ("code" in subject) {
    return refuse(subject, own);
  }
  const late = judgeTime(event, known.nowMs);
  if (late !== undefined) {
    return refuse(late, subject.tenantId);
  }
  const data = encodeData(event.data);
  return "code" in data ? refuse(data, subject.tenantId) : { event, subject, data: data.text };
}

function subjectNames(values: readonly unknown[], sender: Sender): Set<string> {
  const names = new Set<string>(sender === undefined ? [] : [sender.tenantId]);
  for (const value of values) {
    if (typeof value === "object" && value !== null && "subject" in value) {
      const { subject } = value;
      // Longer texts are refused as invalid, without a lookup of the tenant.
      if (typeof subject === "string" && subject.length <= 256 && isStorableText(subject)) {
        names.add(subject);
      }
    }
  }
  return names;
}

type Good = Extract<Judged, { event: CloudEvent }>;

function toRow(
  deps: TakeEventsDeps,
  good: Good,
  input: { meters: EventMeters; sender: Sender; now: Date },
): EventRow | Rejection {
  const { event, subject, data } = good;
  const meters = input.meters.byType.get(event.type);
  if (meters === undefined) {
    return reject("UNKNOWN_TYPE", "No meter counts events of this type.");
  }
  const measured = measureEvent(meters, event.data);
  if (!measured.ok) {
    return measured.rejection;
  }
  const nowMs = input.now.getTime();
  const period = periodAt(subject.periodAnchor, subject.periodUnit, input.now);
  return {
    hash: hashEvent(subject.tenantId, event.source, event.id),
    tenantId: subject.tenantId,
    key: input.sender?.key,
    // The identity hashes the source as it was sent. Its query string is not stored.
    source: withoutQuery(event.source),
    id: event.id,
    type: event.type,
    occurredAtMs: event.timeMs ?? nowMs,
    data,
    periodStartMs: period.start.getTime(),
    periodEndMs: period.end.getTime(),
    measurements: measured.measurements.map((measurement) => ({
      ...measurement,
      dimensions: deps.dimensions.keep(subject.tenantId, measurement, nowMs),
    })),
  };
}

/** Over all events of a request. */
type Input = { sender: Sender; senderName: string; now: Date; slices: TimeSlices };

type Outcome = "accepted" | "duplicate" | Rejection;

/** Measures and writes; repeats with newer meters if they have changed in between. */
async function recordGood(
  deps: TakeEventsDeps,
  goods: readonly Good[],
  input: Input,
): Promise<Outcome[]> {
  for (let attempt = 1; attempt <= STALE_MAX; attempt += 1) {
    const meters = await deps.meters.get();
    const measured = await input.slices.map(goods, (good) =>
      toRow(deps, good, { ...input, meters }),
    );
    const rows = measured.filter((row) => "hash" in row);
    const { revision } = meters;
    // Needed even without a single countable event, because the meter that rejected it may have just changed.
    const written = await deps.writer.write({ sender: input.senderName, rows, revision });
    if (written !== "stale") {
      let place = 0;
      return measured.map((row) => {
        if (!("hash" in row)) {
          return row;
        }
        const isKnown = written[place] === true;
        place += 1;
        return isKnown ? "duplicate" : "accepted";
      });
    }
    deps.meters.forget();
  }
  throw new AppError({
    code: "OVERLOADED",
    publicMessage: "The meters change faster than events can be measured. Try again in a moment.",
    headers: { "retry-after": "1" },
  });
}

function shownText(value: unknown, name: "source" | "id" | "type" | "subject"): string | null {
  const found =
    typeof value === "object" && value !== null
      ? Object.getOwnPropertyDescriptor(value, name)?.value
      : undefined;
  return typeof found === "string" && found.length <= 256 && isStorableText(found) ? found : null;
}

function toResult(value: unknown, outcome: Outcome): EventResult {
  const identity = { source: shownText(value, "source"), id: shownText(value, "id") };
  return typeof outcome === "string"
    ? { ...identity, status: outcome }
    : { ...identity, status: "rejected", code: outcome.code, reason: outcome.reason };
}

type Taken<Of = Outcome> = { value: unknown; outcome: Of; tenantId: TenantId | null };

/** None of a request is taken then: it may be sent again as it is. */
function assertNoneMoves(subjects: ReadonlyMap<string, Subject | null>): void {
  for (const subject of subjects.values()) {
    if (subject?.isMoving === true) {
      throw new AppError({
        code: "TENANT_MOVING",
        publicMessage: `The tenant ${subject.tenantId} is being moved. Send the events again in a moment.`,
        headers: { "retry-after": String(MOVING_RETRY_SECONDS) },
      });
    }
  }
}

async function takeBatch(
  deps: TakeEventsDeps,
  values: readonly unknown[],
  input: Input,
): Promise<Taken[]> {
  const subjects = await deps.subjects.find(subjectNames(values, input.sender));
  assertNoneMoves(subjects);
  const known = { sender: input.sender, subjects, nowMs: input.now.getTime() };
  const judged = await input.slices.map(values, (value) => judge(value, known));
  const goods = judged.filter((one) => "event" in one);
  const outcomes = goods.length === 0 ? [] : await recordGood(deps, goods, input);
  let place = 0;
  return judged.map((one, index) => {
    const value = values[index];
    if (!("event" in one)) {
      return { value, outcome: one.rejection, tenantId: one.tenantId };
    }
    const outcome = outcomes[place] ?? "accepted";
    place += 1;
    return { value, outcome, tenantId: one.subject.tenantId };
  });
}

/** Rejections that cannot be checked for duplicates, because the tenant or the identity is unknown. */
const ANONYMOUS: ReadonlySet<RejectionCode> = new Set([
  "INVALID_EVENT",
  "UNKNOWN_SUBJECT",
  "FOREIGN_SUBJECT",
]);

/**
 * Turns rejected events that were recorded before into duplicates: an event that is resent after its meter has changed, or after it
 * has become too old, was not lost.
 */
async function acknowledgeKnown(
  deps: TakeEventsDeps,
  taken: readonly Taken[],
  slices: TimeSlices,
): Promise<Taken[]> {
  const hashOf = ({ value, outcome, tenantId }: Taken): string | undefined => {
    const isNamed = typeof outcome !== "string" && !ANONYMOUS.has(outcome.code);
    const source = shownText(value, "source");
    const id = shownText(value, "id");
    return isNamed && tenantId !== null && source !== null && id !== null
      ? hashEvent(tenantId, source, id)
      : undefined;
  };
  const hashes = await slices.map(taken, hashOf);
  const asked = hashes.filter((hash) => hash !== undefined);
  if (asked.length === 0) {
    return [...taken];
  }
  const known = await deps.transact.asMeter((tx) => findKnownEvents(tx, asked));
  return taken.map((one, place) =>
    known.has(hashes[place] ?? "") ? { ...one, outcome: "duplicate" } : one,
  );
}

function isRejected(taken: Taken): taken is Taken<Rejection> {
  return typeof taken.outcome !== "string";
}

/** Stores as many rejections as the sender may leave in the list. The answer still names all of them. */
async function keepRejections(
  deps: TakeEventsDeps,
  { actor }: CallContext,
  taken: readonly Taken[],
): Promise<void> {
  const rejected = taken.filter(isRejected);
  const kept = deps.rejections.take(nameSender(actor), rejected.length, deps.clock.monotonicMs());
  if (kept === 0) {
    return;
  }
  const rows = rejected.slice(0, kept).map(({ value, outcome, tenantId }) => ({
    ...outcome,
    tenantId,
    source: withoutQuery(shownText(value, "source") ?? "") || null,
    id: shownText(value, "id"),
    type: shownText(value, "type"),
    subject: shownText(value, "subject"),
  }));
  const sent = { rejectedAt: deps.clock.now(), sentBy: `${actor.type} ${actor.id}` };
  await deps.transact.asMeter((tx) => insertRejections(tx, rows, sent));
}

async function toReceipt(taken: readonly Taken[], slices: TimeSlices): Promise<EventReceipt> {
  const count = (status: Outcome) => taken.filter(({ outcome }) => outcome === status).length;
  const accepted = count("accepted");
  const duplicates = count("duplicate");
  return {
    accepted,
    duplicates,
    rejected: taken.length - accepted - duplicates,
    results: await slices.map(taken, ({ value, outcome }) => toResult(value, outcome)),
  };
}

/**
 * Ingests usage events: judges each one separately, and records the valid ones in ledger, rollups and balances. Everything that is
 * answered is committed. Sending an event again, in this or another request, changes nothing.
 *
 * Events report usage that has happened, so no limit refuses them: they count, and later checks against the limit are refused.
 *
 * @param values - Parsed JSON, one event each.
 * @throws {AppError} `INSUFFICIENT_SCOPE`, `PAYLOAD_TOO_LARGE`, `OVERLOADED`, `TENANT_MOVING`. If the database fails half-way, some
 *   events may be recorded; repeating the request records the rest.
 */
export async function takeEvents(
  deps: TakeEventsDeps,
  context: CallContext,
  values: readonly unknown[],
): Promise<EventReceipt> {
  const taking = takeAll(deps, context, values);
  deps.underWay.add(taking);
  try {
    return await taking;
  } finally {
    deps.underWay.delete(taking);
  }
}

async function takeAll(
  deps: TakeEventsDeps,
  context: CallContext,
  values: readonly unknown[],
): Promise<EventReceipt> {
  assertMayWriteEvents(context.actor);
  if (values.length > EVENTS_MAX) {
    throw new AppError({
      code: "PAYLOAD_TOO_LARGE",
      publicMessage: `A request may have at most ${String(EVENTS_MAX)} events.`,
    });
  }
  const input = {
    sender: await toSender(deps, context.actor),
    senderName: nameSender(context.actor),
    now: deps.clock.now(),
    slices: createTimeSlices(deps.clock.monotonicMs),
  };
  const parts: Promise<Taken[]>[] = [];
  for (let start = 0; start < values.length; start += ROWS_IN_ONE_GO) {
    if (start > 0) {
      // Lets waiting verifications run.
      await input.slices.next();
    }
    const part = takeBatch(deps, values.slice(start, start + ROWS_IN_ONE_GO), input);
    part.catch(() => undefined);
    parts.push(part);
  }
  const taken = await acknowledgeKnown(deps, (await Promise.all(parts)).flat(), input.slices);
  await keepRejections(deps, context, taken);
  return await toReceipt(taken, input.slices);
}
