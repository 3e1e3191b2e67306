import { setImmediate as immediate } from "node:timers/promises";
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
import { decodeEventData } from "./decode-event-data.ts";
import type { DimensionRegistry } from "./dimension-registry.ts";
import { type EventRow, hashEvent } from "./event-row.ts";
import { type EventWriter, ROWS_IN_ONE_GO } from "./event-writer.ts";
import { findKnownEvents, insertRejections } from "./events.store.ts";
import type { EventMeters, MeterCache } from "./meter-cache.ts";
import type { RejectionLimit } from "./rejection-limit.ts";
import type { Subject, SubjectDirectory } from "./subject-directory.ts";

export type TakeEventsDeps = Pick<AppServices, "transact" | "clock"> & {
  writer: Pick<EventWriter, "write">;
  meters: MeterCache;
  subjects: SubjectDirectory;
  dimensions: DimensionRegistry;
  rejections: RejectionLimit;
  /** The first key of the line of a tenant's key. */
  findOriginKey(key: { tenantId: TenantId; keyId: KeyId }): Promise<KeyId>;
};

/** Meters that change again and again while events are measured. */
const STALE_MAX = 5;

type Sender = { tenantId: TenantId; key: NonNullable<EventRow["key"]> } | undefined;

/** One event of the request, as far as it is judged without the database. */
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

/** The data as JSON, or why it cannot be kept. */
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
  // A text in UTF-8 has at most three bytes for each unit.
  const isLarge =
    text.length * 3 > EVENT_DATA_BYTES_MAX && Buffer.byteLength(text) > EVENT_DATA_BYTES_MAX;
  return isLarge
    ? reject("EVENT_TOO_LARGE", `The data may have at most ${String(EVENT_DATA_BYTES_MAX)} bytes.`)
    : { text };
}

function judgeTime(event: CloudEvent, nowMs: number): Rejection | undefined {
  switch (judgeEventTime(event.timeMs ?? nowMs, nowMs)) {
    case "too old":
      return reject("TOO_OLD", `Events are taken up to ${String(EVENT_DAYS_BACK)} days back.`);
    case "too far ahead":
      return reject(
        "TOO_FAR_AHEAD",
        `Events are taken up to ${String(EVENT_MINUTES_AHEAD)} minutes ahead.`,
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
          : "There is no tenant of this id or external id.",
      )
    );
  }
  const own = subjects.get(sender.tenantId);
  if (own === undefined || own === null) {
    return reject("UNKNOWN_SUBJECT", "The tenant of this key is not known.");
  }
  return event.subject === undefined || named?.tenantId === sender.tenantId
    ? own
    : reject("FOREIGN_SUBJECT", "A tenant's key reports usage of its own tenant alone.");
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
      // What is longer is refused as an event before anybody asks who it is.
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
    // What names the event is hashed as it came; a query string in it is not kept.
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

/** Of all events of a request. */
type Input = { sender: Sender; senderName: string; now: Date };

type Outcome = "accepted" | "duplicate" | Rejection;

/** Measures and writes, again with newer meters when they changed in between. */
async function recordGood(
  deps: TakeEventsDeps,
  goods: readonly Good[],
  input: Input,
): Promise<Outcome[]> {
  for (let attempt = 1; attempt <= STALE_MAX; attempt += 1) {
    const meters = await deps.meters.get();
    const measured = goods.map((good) => toRow(deps, good, { ...input, meters }));
    const rows = measured.filter((row) => "hash" in row);
    const { revision } = meters;
    // Also without a single event that could be counted: what refused it may be a meter that was just changed.
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

async function takeBatch(
  deps: TakeEventsDeps,
  values: readonly unknown[],
  input: Input,
): Promise<Taken[]> {
  const subjects = await deps.subjects.find(subjectNames(values, input.sender));
  const known = { sender: input.sender, subjects, nowMs: input.now.getTime() };
  const judged = values.map((value) => judge(value, known));
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

/** What says nothing of whether the event was recorded before: who it is about is not known, or what it is. */
const ANONYMOUS: ReadonlySet<RejectionCode> = new Set([
  "INVALID_EVENT",
  "UNKNOWN_SUBJECT",
  "FOREIGN_SUBJECT",
]);

/**
 * Answers as duplicates those of the rejected that were recorded before: what came again after its meter was changed, or when it
 * had become too old, was not lost.
 */
async function acknowledgeKnown(deps: TakeEventsDeps, taken: readonly Taken[]): Promise<Taken[]> {
  const hashOf = ({ value, outcome, tenantId }: Taken): string | undefined => {
    const isNamed = typeof outcome !== "string" && !ANONYMOUS.has(outcome.code);
    const source = shownText(value, "source");
    const id = shownText(value, "id");
    return isNamed && tenantId !== null && source !== null && id !== null
      ? hashEvent(tenantId, source, id)
      : undefined;
  };
  const hashes = taken.map(hashOf);
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

/** Keeps for the list as many as its sender may leave there; the answer names all of them. */
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

function toReceipt(taken: readonly Taken[]): EventReceipt {
  const count = (status: Outcome) => taken.filter(({ outcome }) => outcome === status).length;
  const accepted = count("accepted");
  const duplicates = count("duplicate");
  return {
    accepted,
    duplicates,
    rejected: taken.length - accepted - duplicates,
    results: taken.map(({ value, outcome }) => toResult(value, outcome)),
  };
}

/**
 * Takes usage events: judges each by itself, and records those that are good with ledger, rollups and balances. What is
 * answered is committed. The same event again, in this request or any other, changes nothing.
 *
 * Events report what has happened, so no limit refuses them: they count, and whoever asks for a limit afterwards is refused.
 *
 * @param values - Parsed JSON, an event each.
 * @throws {AppError} `INSUFFICIENT_SCOPE`, `PAYLOAD_TOO_LARGE`, `OVERLOADED`. When the database fails half-way, some of the
 *   events may be recorded: the same request again records the rest.
 */
export async function takeEvents(
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
  };
  const parts: Promise<Taken[]>[] = [];
  for (let start = 0; start < values.length; start += ROWS_IN_ONE_GO) {
    if (start > 0) {
      // Calls that wait for a verdict get their turn.
      await immediate();
    }
    const part = takeBatch(deps, values.slice(start, start + ROWS_IN_ONE_GO), input);
    part.catch(() => undefined);
    parts.push(part);
  }
  const taken = await acknowledgeKnown(deps, (await Promise.all(parts)).flat());
  await keepRejections(deps, context, taken);
  return toReceipt(taken);
}
