import { queryOptions, skipToken } from "@tanstack/react-query";
import type { ApiClient } from "#platform/api-client.ts";

export const signInQueries = {
  /** Whether a setup code can still be claimed. Asking does not use it up. */
  setupCheck: (api: ApiClient, code: string) =>
    queryOptions({
      queryKey: ["setup-check", code],
      queryFn: async ({ signal }) => await api.setup.check({ code }, { signal }),
    }),

  /** The details of an invitation; sends no request without one. */
  invitationPreview: (api: ApiClient, token: string | undefined) =>
    queryOptions({
      queryKey: ["invitation-preview", token],
      queryFn:
        token === undefined
          ? skipToken
          : async ({ signal }) => await api.invitations.preview({ token }, { signal }),
    }),
};
