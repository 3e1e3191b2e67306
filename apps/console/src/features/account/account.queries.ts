import { queryOptions, useQueryClient } from "@tanstack/react-query";
import type { ApiClient } from "#platform/api-client.ts";
import { usePlatform } from "#platform/platform.tsx";
import { useRefreshVerifiedUser } from "#platform/verified-user.ts";

export type OwnAccount = Awaited<ReturnType<ApiClient["account"]["get"]>>;
export type SignIn = Awaited<ReturnType<ApiClient["account"]["listSignIns"]>>["items"][number];
export type OwnIdentity = Awaited<
  ReturnType<ApiClient["account"]["listIdentities"]>
>["items"][number];

export type Deletion = Awaited<ReturnType<ApiClient["account"]["getDeletion"]>>;

export const accountKey = ["account"];
export const signInsKey = ["account", "sign-ins"];

export function accountQuery(api: ApiClient) {
  return queryOptions({
    queryKey: [...accountKey, "own"],
    queryFn: ({ signal }) => api.account.get({}, { signal }),
    staleTime: 0,
  });
}

/** The browsers that are signed in as the person. */
export function signInsQuery(api: ApiClient) {
  return queryOptions({
    queryKey: signInsKey,
    queryFn: async ({ signal }) => (await api.account.listSignIns({}, { signal })).items,
    staleTime: 0,
  });
}

/** What signs the person in. */
export function identitiesQuery(api: ApiClient) {
  return queryOptions({
    queryKey: [...accountKey, "identities"],
    queryFn: async ({ signal }) => (await api.account.listIdentities({}, { signal })).items,
    staleTime: 0,
  });
}

/** What the deletion of the account needs, and what is in its way. */
export function deletionQuery(api: ApiClient) {
  return queryOptions({
    queryKey: [...accountKey, "deletion"],
    queryFn: ({ signal }) => api.account.getDeletion({}, { signal }),
    staleTime: 0,
  });
}

/** Renews what the page and the frame show of the person, after a change of their account. */
export function useRefreshAccount(): () => Promise<void> {
  const { session } = usePlatform();
  const client = useQueryClient();
  const refreshUser = useRefreshVerifiedUser();
  return async () => {
    // The next ID token says what has changed; the present one may be worth nothing any more.
    await session.renew();
    await Promise.all([client.invalidateQueries({ queryKey: accountKey }), refreshUser()]);
  };
}
