import { useEffect, useRef, useState } from "react";
import { readOwnTimeZone } from "#platform/chart-formats.ts";
import { RequestError, toErrorMessage } from "#platform/error-message.ts";
import { type DraftErrors, listErrors } from "./draft-errors.ts";
import { checkDraft, type DraftContext, type KeyDraft } from "./key-draft.view-model.ts";

type KeyFormOptions = {
  tenantId: DraftContext["tenantId"];
  initial: KeyDraft;
  /** The error of the last attempt; null if there is none. */
  error: unknown;
  /** Called with a draft that passed the checks made here. */
  onSubmit: (draft: KeyDraft, context: DraftContext) => void;
};

/** The draft of a key and its errors, from the checks here and from the server. */
export function useKeyForm({ tenantId, initial, error, onSubmit }: KeyFormOptions) {
  const [draft, setDraft] = useState(initial);
  // Checked at each attempt: an expiry that was in the future when the form opened may have passed by then.
  const [checkedMs, setCheckedMs] = useState<number>();
  const [attempts, setAttempts] = useState(0);
  const [seen, setSeen] = useState(error);
  if (error !== seen) {
    setSeen(error);
    setAttempts(error === null ? attempts : attempts + 1);
  }
  const [openedMs] = useState(() => Date.now());
  const form = useRef<HTMLFormElement>(null);
  const timeZone = readOwnTimeZone();
  const found = checkedMs === undefined ? {} : checkDraft(draft, { nowMs: checkedMs, timeZone });
  const refused = toDraftErrors(error);
  const isFound = Object.keys(found).length > 0;

  // The outside system is the focus: it goes to the first invalid field, after its fold has opened.
  useEffect(() => {
    if (attempts > 0) {
      const wrong = form.current?.querySelector<HTMLElement>("[aria-invalid=true]");
      wrong?.focus({ preventScroll: true });
      // Shows the label above the field and the error below it.
      wrong?.scrollIntoView({ block: "center" });
    }
  }, [attempts]);

  function submit(): void {
    const context = { tenantId, nowMs: Date.now(), timeZone };
    setCheckedMs(context.nowMs);
    if (Object.keys(checkDraft(draft, context)).length === 0) {
      onSubmit(draft, context);
    } else {
      setAttempts(attempts + 1);
    }
  }

  return {
    form,
    draft,
    setDraft,
    submit,
    nowMs: openedMs,
    timeZone,
    isTouched: draft !== initial,
    /** How often the checks here or the server found errors. */
    attempts,
    /** Shown at the fields. */
    errors: { ...refused, ...found },
    /** For the summary; undefined if there are no errors. */
    messages: isFound ? listErrors(found) : listMessages(error, refused),
  };
}

function toDraftErrors(error: unknown): DraftErrors {
  const errors = error instanceof RequestError ? error.fieldErrors : [];
  return Object.fromEntries(errors.map(({ pointer, message }) => [pointer, message]));
}

function listMessages(error: unknown, refused: DraftErrors): string[] | undefined {
  if (error === null || error === undefined) {
    return;
  }
  const messages = listErrors(refused);
  return messages.length > 0 ? messages : [toErrorMessage(error)];
}
