import { queryOptions, skipToken } from "@tanstack/react-query";
import type { ApiClient } from "#platform/api-client.ts";

export const signInQueries = {
  /** Whether a setup code can still be claimed. It is not used up. */
  setupCheck: (api: ApiClient, code: string) =>
    queryOptions({
      queryKey: ["setup-check", code],
      queryFn: async ({ signal }) => await api.setup.check({ code }, { signal }),
    }),

  /** What an invitation is for; asks nothing without one. */
  invitationPreview: (api: ApiClient, token: string | undefined) =>
    queryOptions({
      queryKey: ["invitation-preview", token],
      queryFn:
        token === undefined
          ? skipToken
          : async ({ signal }) => await api.invitations.preview({ token }, { signal }),
    }),
};
