import { t } from "@lingui/core/macro";
import { SAMPLES_MAX } from "@turnpike/domain/events/samples-max";
import { toSampleData } from "./meter.view-model.ts";
import { type MeterDraft, toMeterInput } from "./meter-draft.view-model.ts";

export type ReadSamples = { ok: true; events: unknown[] } | { ok: false; message: string };

/** A sample event that the draft would count, as far as it is filled in. */
export function toSampleText(draft: MeterDraft): string {
  const event = {
    specversion: "1.0",
    type: draft.eventType.trim() || "my.event",
    source: "/sample",
    id: "1",
    data: toSampleData(toMeterInput(draft)),
  };
  return JSON.stringify(event, null, 2);
}

/** Parses typed or pasted JSON: one event, or a list of them. */
export function readSamples(text: string): ReadSamples {
  if (text.trim() === "") {
    return { ok: false, message: t`Paste an event as JSON.` };
  }
  try {
    const value: unknown = JSON.parse(text);
    const events: unknown[] = Array.isArray(value) ? value : [value];
    if (events.length === 0 || events.length > SAMPLES_MAX) {
      return { ok: false, message: t`Enter 1 to ${String(SAMPLES_MAX)} events.` };
    }
    return { ok: true, events };
  } catch (error) {
    const place = error instanceof Error ? `: ${error.message}` : "";
    return { ok: false, message: t`This is not JSON${place}.` };
  }
}
