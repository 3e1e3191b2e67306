import { useQuery } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import type { ArrivalKind } from "#platform/arrivals.ts";
import { usePlatform } from "#platform/platform.tsx";
import { signInQueries } from "./sign-in.queries.ts";

/** What a link brought along. Empty in the first render, because the server rendered without it. */
export function useArrivalOnceShown(kind: ArrivalKind): string | undefined {
  const { arrivals } = usePlatform();
  return useSyncExternalStore(
    arrivals.subscribe,
    () => arrivals.get(kind),
    () => undefined,
  );
}

/** The invitation whose link brought the person here; without one, it sends no request. */
export function useInvitation() {
  const { api } = usePlatform();
  const token = useArrivalOnceShown("invitation");
  const preview = useQuery({ ...signInQueries.invitationPreview(api, token), retry: false });
  return { isBrought: token !== undefined, preview: preview.data, error: preview.error };
}
