import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { RequestError } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import { editorQueries, refreshCatalogue, type StoredDraft } from "./editor.queries.ts";
import {
  type PlanDraft,
  toEditedTerms,
  toPlanDraft,
  toPlanTerms,
} from "./plan-draft.view-model.ts";
import { type PlanFault, toTermsFaults } from "./plan-faults.view-model.ts";

/** What the API expects where there is no draft yet. */
export const NO_REVISION = "0";

type Saved = {
  revision: string;
  /** What the API found wrong with it. */
  faults: readonly PlanFault[];
  /** Its text, to know whether anything was typed since. */
  text: string;
};

export type PlanDraftInput = {
  planId: string;
  /** The form at its start: the stored draft, else the published plan, else an empty one. */
  first: PlanDraft;
  /** The draft as it is stored; null while there is none. */
  stored: StoredDraft | null;
};

function toText(draft: PlanDraft): string {
  return JSON.stringify(toPlanTerms(draft));
}

/**
 * A draft being typed, and its storage. What is typed is never lost: when someone else has stored another one meanwhile,
 * both are kept until one is chosen.
 */
export function usePlanDraft({ planId, first, stored }: PlanDraftInput) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const [draft, setDraft] = useState(first);
  const [saved, setSaved] = useState<Saved>({
    revision: stored?.revision ?? NO_REVISION,
    faults: stored?.faults ?? [],
    text: toText(first),
  });
  /** What someone else stored meanwhile; null when the draft was published or discarded. Undefined: no conflict. */
  const [theirs, setTheirs] = useState<StoredDraft | null>();
  const text = toText(draft);
  const isDirty = text !== saved.text || (stored === null && saved.revision === NO_REVISION);
  const isTyped = text !== saved.text;

  function take(next: StoredDraft): void {
    setSaved({
      revision: next.revision,
      faults: next.faults,
      text: JSON.stringify(toEditedTerms(next.terms)),
    });
  }

  const save = useMutation({
    mutationKey: ["plan-editor", "save", planId],
    mutationFn: (input: { draft: PlanDraft; revision: string }) =>
      api.catalog.putPlanDraft({
        planId,
        terms: toPlanTerms(input.draft),
        expectedRevision: input.revision,
      }),
    onSuccess: async (next, input) => {
      setSaved({ revision: next.revision, faults: next.faults, text: toText(input.draft) });
      setTheirs(undefined);
      client.setQueryData(editorQueries.draft(api, planId).queryKey, next);
      await client.invalidateQueries({ queryKey: editorQueries.drafts(api).queryKey });
    },
    onError: async (cause) => {
      if (isConflict(cause)) {
        setTheirs(await client.fetchQuery(editorQueries.draft(api, planId)));
      }
    },
  });
  const saveOnce = useSubmitOnce(save.mutateAsync, "settled");

  const discard = useMutation({
    mutationKey: ["plan-editor", "discard", planId],
    mutationFn: () =>
      api.catalog.deletePlanDraft({
        params: { planId },
        query: { expectedRevision: saved.revision },
      }),
    onSuccess: () => refreshCatalogue(client),
  });

  const publish = useMutation({
    mutationKey: ["plan-editor", "publish", planId],
    mutationFn: () => api.catalog.publishPlanDraft({ planId, expectedRevision: saved.revision }),
    onSuccess: () => refreshCatalogue(client),
  });

  const refused =
    save.error instanceof RequestError && !isConflict(save.error)
      ? toTermsFaults(save.error.fieldErrors, "/terms")
      : [];

  return {
    draft,
    change: (part: Partial<PlanDraft>) => {
      save.reset();
      setDraft((before) => ({ ...before, ...part }));
    },
    revision: saved.revision,
    isDirty,
    isTyped,
    /** Faults that the API told, of what was sent last: nothing is said of what was typed since. */
    faults: isTyped ? refused : [...saved.faults, ...refused],
    save,
    /** Stores what is typed, over the revision it is based on. */
    store: (options?: { onSuccess?: (next: StoredDraft) => void }) =>
      saveOnce({ draft, revision: saved.revision }, options),
    conflict: theirs === undefined ? undefined : { theirs },
    /** Stores what is typed over what someone else stored. */
    keepMine: () => saveOnce({ draft, revision: theirs?.revision ?? NO_REVISION }),
    /** Drops what is typed. */
    takeTheirs: () => {
      if (theirs !== undefined && theirs !== null) {
        setDraft(toPlanDraft(toEditedTerms(theirs.terms)));
        take(theirs);
      }
      setTheirs(undefined);
      save.reset();
    },
    discard,
    publish,
  };
}

/** True when someone else stored, published or discarded the draft meanwhile. */
export function isConflict(cause: unknown): boolean {
  return cause instanceof RequestError && cause.status === 409 && cause.code === "CONFLICT";
}
