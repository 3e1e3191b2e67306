import { useEffect, useRef, useState } from "react";
import { readOwnTimeZone } from "#platform/chart-formats.ts";
import { RequestError, toErrorMessage } from "#platform/error-message.ts";
import { type DraftErrors, listErrors } from "./draft-errors.ts";
import { checkDraft, type DraftContext, type KeyDraft } from "./key-draft.view-model.ts";

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
  // By the clock of the last attempt: an expiry that was in the future when the form opened may be over by then.
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

  // The outside system is the focus: it goes to the first field that is wrong, after a fold around it has opened.
  useEffect(() => {
    if (attempts > 0) {
      const wrong = form.current?.querySelector<HTMLElement>("[aria-invalid=true]");
      wrong?.focus({ preventScroll: true });
      // With its label above and its error below.
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
    /** How often it was found here or said by the server what is wrong. */
    attempts,
    /** Beside the fields. */
    errors: { ...refused, ...found },
    /** For the summary; undefined when nothing is wrong. */
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
