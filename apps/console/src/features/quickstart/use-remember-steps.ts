import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { type Progress, progressQuery, saveProgress } from "#platform/quickstart-progress.ts";
import { type Step, toRemember } from "./quickstart.view-model.ts";

/** Keeps what was finished, so that it stays finished on every device. */
export function useRememberSteps(
  tenantId: OwnTenant["tenantId"],
  steps: readonly Step[],
  progress: Progress | undefined,
): void {
  const { api } = usePlatform();
  const client = useQueryClient();
  const { queryKey } = progressQuery(api, tenantId);
  const { mutate, isPending } = useMutation({
    mutationFn: (next: Progress) => saveProgress(api, tenantId, next),
    onSuccess: (saved) => client.setQueryData(queryKey, saved),
    // Another device was faster: what it finished counts, and what is new to both is kept with the next look.
    onError: () => client.invalidateQueries({ queryKey }),
  });
  const finished =
    progress === undefined ? undefined : toRemember(steps, progress.finished)?.join(",");
  const revision = progress?.revision;
  const attempted = useRef<string>(undefined);
  // The outside system is the server's memory of this tenant.
  useEffect(() => {
    const attempt = `${finished ?? ""}@${revision ?? ""}`;
    // One write at a time: the next is made from the revision that this one answers. What failed would fail again, until
    // another step is finished, someone else has written, or the page is opened anew.
    if (
      finished !== undefined &&
      revision !== undefined &&
      !isPending &&
      attempt !== attempted.current
    ) {
      attempted.current = attempt;
      mutate({ finished: finished.split(",") as Progress["finished"], revision });
    }
  }, [finished, revision, isPending, mutate]);
}
