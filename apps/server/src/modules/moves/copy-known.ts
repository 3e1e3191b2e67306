import type { TenantId } from "@turnpike/domain/ids/ids";
import type { TwoCells } from "./cell-databases.ts";
import {
  insertEventIds,
  insertEventIdsOf,
  insertImports,
  listEventIds,
  listImports,
} from "./known.store.ts";
import { readParked } from "./take-in-tenant.ts";

const IDS_AT_ONCE = 20_000;

/**
 * Copies what makes a retry known in the other cell: identities of events, and which access logs were imported. Identities of events
 * that are not kept any more do not tell whose they are, so all of those are copied; they say nothing about other tenants.
 */
export async function copyKnown(
  { here, there }: TwoCells,
  { tenantId }: { tenantId: TenantId },
): Promise<void> {
  for await (const contents of readParked(here, { tenantId, table: "usage_events" })) {
    await there.transact.asMeter((tx) => insertEventIdsOf(tx, contents));
  }
  for (let after: string | undefined, isMore = true; isMore; ) {
    const page = { after, limit: IDS_AT_ONCE };
    const ids = await here.transact.asMeter((tx) => listEventIds(tx, page));
    after = ids.at(-1)?.hash;
    isMore = ids.length === IDS_AT_ONCE;
    await there.transact.asMeter((tx) => insertEventIds(tx, ids));
  }
  const imports = await here.transact.asMeter((tx) => listImports(tx, tenantId));
  for (const content of imports) {
    await there.transact.asMeter((tx) => insertImports(tx, [content]));
  }
}
