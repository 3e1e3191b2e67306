import { queryOptions } from "@tanstack/react-query";
import { ownCollection } from "@turnpike/domain/documents/own-collection";
import type { ApiClient } from "./api-client.ts";
import type { OwnTenant } from "./current-tenant.ts";
import { RequestError } from "./error-message.ts";

type TenantId = OwnTenant["tenantId"];
/** Whose views are looked at, and where. */
export type ViewsOwner = { tenantId: TenantId; userId: string };

/** Views of everybody in the tenant; those of one's own are in a collection of the same purpose. */
const SHARED = "analytics-views";
/** The document of one's own that names the view to begin with. */
const DEFAULT = "default";
const PAGE = 100;
/** Views beyond the first thousand are not requested: no one finds one among so many. */
const PAGES_MAX = 10;

/** The search parameters of `/analytics`, as they were when the view was saved. */
export type ViewSearch = Readonly<Record<string, string | number>>;

export type SavedView = {
  viewId: string;
  name: string;
  search: ViewSearch;
  isShared: boolean;
  /** Guards a write against a newer save by someone else. */
  revision: string;
};

export type SavedViews = {
  /** By name. */
  views: readonly SavedView[];
  /** The view that the screen begins with; undefined where none was chosen, or it is gone. */
  defaultId: string | undefined;
};

function collectionOf(isShared: boolean, userId: string): string {
  return isShared ? SHARED : ownCollection(SHARED, userId);
}

function isSearch(value: unknown): value is ViewSearch {
  return (
    typeof value === "object" &&
    value !== null &&
    Object.values(value).every((one) => typeof one === "string" || typeof one === "number")
  );
}

type Document = { documentId: string; revision: string; body: Record<string, unknown> };

/** What is no view, because another program wrote it, is left out. */
function toViews(documents: readonly Document[], isShared: boolean): SavedView[] {
  return documents.flatMap(({ documentId, revision, body }): SavedView[] => {
    const { name, search } = body;
    return typeof name === "string" && isSearch(search)
      ? [{ viewId: documentId, name, search, isShared, revision }]
      : [];
  });
}

type Place = { tenantId: TenantId; collection: string };

/** `isCut`: there are more. */
type Pages = { documents: readonly Document[]; isCut: boolean };

async function readPages(api: ApiClient, place: Place, signal: AbortSignal): Promise<Pages> {
  const documents: Document[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const input = { ...place, limit: PAGE, ...(cursor !== undefined && { cursor }) };
    const { items, nextCursor } = await api.documents.list(input, { signal });
    documents.push(...items);
    if (nextCursor === null) {
      return { documents, isCut: false };
    }
    cursor = nextCursor;
  }
  return { documents, isCut: true };
}

/** @returns Undefined when no view was chosen to begin with. */
async function readDefault(
  api: ApiClient,
  place: Place,
  { own, signal }: { own: Pages; signal: AbortSignal },
): Promise<unknown> {
  const known = own.documents.find(({ documentId }) => documentId === DEFAULT);
  if (known !== undefined || !own.isCut) {
    return known?.body["view"];
  }
  try {
    const { body } = await api.documents.get({ ...place, documentId: DEFAULT }, { signal });
    return body["view"];
  } catch (error) {
    if (error instanceof RequestError && error.status === 404) {
      return undefined;
    }
    throw error;
  }
}

export function savedViewsQuery(api: ApiClient, { tenantId, userId }: ViewsOwner) {
  return queryOptions({
    queryKey: ["saved-views", tenantId, userId],
    queryFn: async ({ signal }): Promise<SavedViews> => {
      const placeOf = (isShared: boolean) => ({
        tenantId,
        collection: collectionOf(isShared, userId),
      });
      const [shared, own] = await Promise.all([
        readPages(api, placeOf(true), signal),
        readPages(api, placeOf(false), signal),
      ]);
      const views = [...toViews(shared.documents, true), ...toViews(own.documents, false)];
      const chosen = await readDefault(api, placeOf(false), { own, signal });
      return {
        views: views.toSorted((a, b) => a.name.localeCompare(b.name, "en")),
        defaultId: views.find(({ viewId }) => viewId === chosen)?.viewId,
      };
    },
  });
}

/** Saves a view, replacing `before` when given; a view that becomes shared or private again moves. */
export async function saveView(
  api: ApiClient,
  owner: ViewsOwner,
  view: Pick<SavedView, "viewId" | "name" | "search" | "isShared">,
  before?: SavedView,
): Promise<void> {
  const { tenantId, userId } = owner;
  const { viewId: documentId, name, search, isShared } = view;
  const isMoved = before !== undefined && before.isShared !== isShared;
  await api.documents.put({
    tenantId,
    collection: collectionOf(isShared, userId),
    documentId,
    body: { name, search },
    expectedRevision: before === undefined || isMoved ? "0" : before.revision,
  });
  if (isMoved) {
    await deleteView(api, owner, before);
  }
}

export async function deleteView(
  api: ApiClient,
  { tenantId, userId }: ViewsOwner,
  { viewId, isShared, revision }: SavedView,
): Promise<void> {
  await api.documents.delete({
    params: { tenantId, collection: collectionOf(isShared, userId), documentId: viewId },
    query: { expectedRevision: revision },
  });
}

/** Chooses the view that the screen begins with, for this person alone; undefined for none. */
export async function chooseDefaultView(
  api: ApiClient,
  { tenantId, userId }: ViewsOwner,
  viewId: string | undefined,
): Promise<void> {
  await api.documents.put({
    tenantId,
    collection: collectionOf(false, userId),
    documentId: DEFAULT,
    body: viewId === undefined ? {} : { view: viewId },
  });
}
