import { queryOptions } from "@tanstack/react-query";
import { ownCollection } from "@turnpike/domain/documents/own-collection";
import type { ApiClient } from "./api-client.ts";
import type { OwnTenant } from "./current-tenant.ts";
import type { Documents } from "./documents/documents.ts";
import type { ThemeChoice } from "./theme.ts";

type TenantId = OwnTenant["tenantId"];

const DOCUMENT = "console";

/** Where a person's preferences are. */
export type PreferencesOwner = { tenantId: TenantId; userId: string };

export type Preferences = {
  /** As it is stored, with what other versions of the console keep in it; null for none yet. */
  body: Readonly<Record<string, unknown>> | null;
  revision: string;
};

/**
 * The tenant that keeps the preferences of a person: of all of theirs the oldest, so that every machine finds the same one,
 * also when it shows another. Ids begin with the time.
 */
export function findHome(tenants: readonly Pick<OwnTenant, "tenantId">[]): TenantId | undefined {
  return tenants.map(({ tenantId }) => tenantId).toSorted()[0];
}

/** Listed, because before the first choice there is no document to get. */
export function preferencesQuery(api: ApiClient, { tenantId, userId }: PreferencesOwner) {
  const collection = ownCollection("preferences", userId);
  return queryOptions({
    queryKey: ["documents", tenantId, collection],
    queryFn: async ({ signal }): Promise<Preferences> => {
      const { items } = await api.documents.list({ tenantId, collection }, { signal });
      const found = items.find(({ documentId }) => documentId === DOCUMENT);
      return { body: found?.body ?? null, revision: found?.revision ?? "0" };
    },
  });
}

/** Stores a choice beside the others. Without a network it waits in the browser, and is merged by field. */
export async function saveTheme(
  documents: Documents,
  { tenantId, userId }: PreferencesOwner,
  { known, theme }: { known: Preferences | undefined; theme: ThemeChoice },
): Promise<void> {
  await documents.write(userId, {
    tenantId,
    collection: ownCollection("preferences", userId),
    documentId: DOCUMENT,
    base: known?.body ?? null,
    baseRevision: known?.revision,
    mine: { ...known?.body, theme },
  });
}
