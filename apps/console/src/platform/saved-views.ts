import { queryOptions } from "@tanstack/react-query";
import { ownCollection } from "@turnpike/domain/documents/own-collection";
import { LANGUAGE } from "@turnpike/ui/language";
import type { ApiClient } from "./api-client.ts";
import type { OwnTenant } from "./current-tenant.ts";
import type { Documents } from "./documents/documents.ts";
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
  /** Of the choice: guards a write against a newer one; "0" where none was ever made. */
  defaultRevision: string;
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

/** The choice of a view to begin with, whether or not there is such a view. */
type Choice = { view: unknown; revision: string };
const NO_CHOICE: Choice = { view: undefined, revision: "0" };

async function readDefault(
  api: ApiClient,
  place: Place,
  { own, signal }: { own: Pages; signal: AbortSignal },
): Promise<Choice> {
  const known = own.documents.find(({ documentId }) => documentId === DEFAULT);
  if (known !== undefined) {
    return { view: known.body["view"], revision: known.revision };
  }
  if (!own.isCut) {
    return NO_CHOICE;
  }
  try {
    const { body, revision } = await api.documents.get(
      { ...place, documentId: DEFAULT },
      { signal },
    );
    return { view: body["view"], revision };
  } catch (error) {
    if (error instanceof RequestError && error.status === 404) {
      return NO_CHOICE;
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
        views: sortViews(views),
        defaultId: views.find(({ viewId }) => viewId === chosen.view)?.viewId,
        defaultRevision: chosen.revision,
      };
    },
  });
}

function sortViews(views: readonly SavedView[]): SavedView[] {
  return views.toSorted((a, b) => a.name.localeCompare(b.name, LANGUAGE));
}

/** The list with a view as it was saved, in place of the one with its id. */
export function withView(saved: SavedViews, view: SavedView): SavedViews {
  const others = saved.views.filter(({ viewId }) => viewId !== view.viewId);
  return { ...saved, views: sortViews([...others, view]) };
}

/** The list without a view. */
export function withoutView(saved: SavedViews, viewId: string): SavedViews {
  return { ...saved, views: saved.views.filter((one) => one.viewId !== viewId) };
}

/**
 * Saves a view, replacing `before` when given; a view that becomes shared or private again moves. What others changed in it
 * meanwhile is merged by field. Without a network it waits in the browser.
 *
 * @returns The view as it is now, as far as this browser knows.
 */
export async function saveView(
  documents: Documents,
  owner: ViewsOwner,
  view: Pick<SavedView, "viewId" | "name" | "search" | "isShared">,
  before?: SavedView,
): Promise<SavedView> {
  const { tenantId, userId } = owner;
  const { viewId: documentId, name, search, isShared } = view;
  const isMoved = before !== undefined && before.isShared !== isShared;
  const known = isMoved ? undefined : before;
  const outcome = await documents.write(userId, {
    tenantId,
    collection: collectionOf(isShared, userId),
    documentId,
    base: known === undefined ? null : { name: known.name, search: known.search },
    baseRevision: known?.revision ?? "0",
    mine: { name, search },
  });
  if (isMoved) {
    await deleteView(documents, owner, before);
  }
  const revision = outcome.state === "sent" ? outcome.revision : (known?.revision ?? "0");
  return { viewId: documentId, name, search, isShared, revision };
}

/** Deletes a view, unless someone changed it meanwhile. Without a network it waits in the browser. */
export async function deleteView(
  documents: Documents,
  { tenantId, userId }: ViewsOwner,
  { viewId, name, search, isShared, revision }: SavedView,
): Promise<void> {
  await documents.write(userId, {
    tenantId,
    collection: collectionOf(isShared, userId),
    documentId: viewId,
    base: { name, search },
    baseRevision: revision,
    mine: null,
  });
}

const toChoice = (viewId: string | undefined) => (viewId === undefined ? {} : { view: viewId });

/** Chooses the view that the screen begins with, for this person alone; undefined for none. */
export async function chooseDefaultView(
  documents: Documents,
  { tenantId, userId }: ViewsOwner,
  { saved, viewId }: { saved: SavedViews; viewId: string | undefined },
): Promise<void> {
  const { defaultId, defaultRevision } = saved;
  await documents.write(userId, {
    tenantId,
    collection: collectionOf(false, userId),
    documentId: DEFAULT,
    base: defaultRevision === "0" ? null : toChoice(defaultId),
    baseRevision: defaultRevision,
    mine: toChoice(viewId),
  });
}
