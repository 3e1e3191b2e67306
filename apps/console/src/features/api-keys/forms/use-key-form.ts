import { type SubmitEvent, useState } from "react";
import { readOwnTimeZone } from "#platform/chart-formats.ts";
import { toFormFailure } from "#platform/form-failure.ts";
import {
  checkDraft,
  DRAFT_POINTERS,
  type DraftContext,
  type DraftField,
  type KeyDraft,
} from "./key-draft.view-model.ts";

type KeyFormOptions = {
  tenantId: DraftContext["tenantId"];
  initial: KeyDraft;
  /** What the last attempt failed with; null while none has. */
  error: unknown;
  /** Called with a draft that has nothing wrong that is known here. */
  onSubmit: (draft: KeyDraft, context: DraftContext) => void;
};

/** What is typed about a key and what is wrong with it, before and after the server was asked. */
export function useKeyForm({ tenantId, initial, error, onSubmit }: KeyFormOptions) {
  const [draft, setDraft] = useState(initial);
  const [isChecked, setIsChecked] = useState(false);
  const [openedMs] = useState(() => Date.now());
  const timeZone = readOwnTimeZone();
  const found = isChecked ? checkDraft(draft, { nowMs: openedMs, timeZone }) : {};
  const failure = toFormFailure<DraftField>(error, DRAFT_POINTERS);
  const isFound = Object.keys(found).length > 0;

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    setIsChecked(true);
    const context = { tenantId, nowMs: Date.now(), timeZone };
    if (Object.keys(checkDraft(draft, context)).length === 0) {
      onSubmit(draft, context);
    }
  }

  return {
    draft,
    setDraft,
    submit,
    nowMs: openedMs,
    timeZone,
    /** Beside the fields. */
    errors: { ...failure?.fields, ...found } as Readonly<Partial<Record<DraftField, string>>>,
    /** For the summary; undefined when nothing is wrong. */
    messages: isFound ? Object.values(found) : failure?.messages,
  };
}
