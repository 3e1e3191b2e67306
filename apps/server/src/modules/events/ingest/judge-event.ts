import { EVENT_DATA_BYTES_MAX } from "@turnpike/contract/events";
import { type CloudEvent, parseCloudEvent } from "@turnpike/domain/events/cloud-event";
import {
  EVENT_DAYS_BACK,
  EVENT_MINUTES_AHEAD,
  judgeEventTime,
} from "@turnpike/domain/events/event-time";
import type { Rejection, RejectionCode } from "@turnpike/domain/events/rejection";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { isStorableText } from "@turnpike/domain/text/storable-text";
import { decodeEventData } from "./decode-event-data.ts";
import type { EventRow } from "./event-row.ts";
import type { Subject } from "./subject-directory.ts";

/** The tenant's key that reports; undefined for the operator. */
export type Sender = { tenantId: TenantId; key: NonNullable<EventRow["key"]> } | undefined;

export type GoodEvent = { event: CloudEvent; subject: Subject; data: string | null };

/** One event of the request, judged without the database. */
type JudgedEvent = GoodEvent | { rejection: Rejection; value: unknown; tenantId: TenantId | null };

export function reject(code: RejectionCode, reason: string): Rejection {
  return { code, reason };
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

/** Judges one event of a request by itself. */
export function judgeEvent(
  value: unknown,
  known: {
    sender: Sender;
    subjects: ReadonlyMap<string, Subject | null>;
    nowMs: number;
  },
): JudgedEvent {
  const refuse = (rejection: Rejection, tenantId: TenantId | null): JudgedEvent => ({
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

/** A part of the identity that may be shown and stored; null where there is none. */
export function shownText(
  value: unknown,
  name: "source" | "id" | "type" | "subject",
): string | null {
  const found =
    typeof value === "object" && value !== null
      ? Object.getOwnPropertyDescriptor(value, name)?.value
      : undefined;
  return typeof found === "string" && found.length <= 256 && isStorableText(found) ? found : null;
}
