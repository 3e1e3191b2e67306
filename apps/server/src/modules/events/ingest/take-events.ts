import { EVENTS_MAX, type EventReceipt, type EventResult } from "@turnpike/contract/events";
import {
  type Actor,
  assertMay,
  assertMayInTenant,
  type CallContext,
  nameSender,
} from "@turnpike/domain/access/actor";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { KeyId, TenantId } from "@turnpike/domain/ids/ids";
import { isStorableText } from "@turnpike/domain/text/storable-text";
import { createTimeSlices, type TimeSlices } from "#platform/time-slices.ts";
import { ROWS_IN_ONE_GO } from "./event-writer.ts";
import { judgeEvent, type Sender, shownText } from "./judge-event.ts";
import { type RecordEventsDeps, recordEvents } from "./record-events.ts";
import { acknowledgeKnown, keepRejections, type RejectedEventsDeps } from "./rejected-events.ts";
import type { Subject, SubjectDirectory } from "./subject-directory.ts";
import type { EventOutcome, TakenEvent } from "./taken-event.ts";

export type TakeEventsDeps = RecordEventsDeps &
  RejectedEventsDeps & {
    subjects: SubjectDirectory;
    /** Requests whose events are being taken. */
    underWay: Set<Promise<unknown>>;
    /** The first key that a tenant's key was rolled from. */
    findOriginKey(key: { tenantId: TenantId; keyId: KeyId }): Promise<KeyId>;
  };

/** Most tenants move within seconds. */
const MOVING_RETRY_SECONDS = 5;

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

/** Over all events of a request. */
type Input = { sender: Sender; senderName: string; now: Date; slices: TimeSlices };

function toResult(value: unknown, outcome: EventOutcome): EventResult {
  const identity = { source: shownText(value, "source"), id: shownText(value, "id") };
  return typeof outcome === "string"
    ? { ...identity, status: outcome }
    : { ...identity, status: "rejected", code: outcome.code, reason: outcome.reason };
}

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
): Promise<TakenEvent[]> {
  const subjects = await deps.subjects.find(subjectNames(values, input.sender));
  assertNoneMoves(subjects);
  const known = { sender: input.sender, subjects, nowMs: input.now.getTime() };
  const judged = await input.slices.map(values, (value) => judgeEvent(value, known));
  const goods = judged.filter((one) => "event" in one);
  const outcomes = goods.length === 0 ? [] : await recordEvents(deps, goods, input);
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

async function toReceipt(taken: readonly TakenEvent[], slices: TimeSlices): Promise<EventReceipt> {
  const count = (status: EventOutcome) => taken.filter(({ outcome }) => outcome === status).length;
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
  const parts: Promise<TakenEvent[]>[] = [];
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
