import { useQuery } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import type { ArrivalKind } from "#platform/arrivals.ts";
import { usePlatform } from "#platform/platform.tsx";
import { signInQueries } from "./sign-in.queries.ts";

/** What a link brought along. Nothing in the first render, which the server made without it. */
export function useArrivalOnceShown(kind: ArrivalKind): string | undefined {
  const { arrivals } = usePlatform();
  return useSyncExternalStore(
    arrivals.subscribe,
    () => arrivals.get(kind),
    () => undefined,
  );
}

/** What the invitation is for whose link brought the person here; without one, nothing is asked. */
export function useInvitation() {
  const { api } = usePlatform();
  const token = useArrivalOnceShown("invitation");
  const preview = useQuery({ ...signInQueries.invitationPreview(api, token), retry: false });
  return { isBrought: token !== undefined, preview: preview.data, error: preview.error };
}
