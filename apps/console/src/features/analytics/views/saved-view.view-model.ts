import type { SavedView, ViewSearch } from "#platform/saved-views.ts";
import {
  type AnalyticsSearch,
  type AnalyticsView,
  parseAnalyticsSearch,
  toAnalyticsSearch,
} from "../analytics-search.view-model.ts";

/** The saved parameters of a view: its whole address except the id of the saved view. */
export function toViewSearch(view: AnalyticsView): ViewSearch {
  const { view: _, ...search } = toAnalyticsSearch(view);
  return search;
}

/** The address that shows a saved view. */
export function toSearchOf({ viewId, search }: SavedView): AnalyticsSearch {
  return parseAnalyticsSearch({ ...search, view: viewId });
}

/** Parameters of a saved view that are no longer understood in full; the rest is shown. */
export function listOutdated({ search }: Pick<SavedView, "search">): string[] {
  const known = new Map(Object.entries(parseAnalyticsSearch(search)));
  return Object.entries(search).flatMap(([name, value]) =>
    String(known.get(name) ?? "") === String(value) ? [] : [name],
  );
}

/** True when the current view differs from the saved one. */
export function isChanged(view: AnalyticsView, saved: SavedView): boolean {
  const write = (search: object) => JSON.stringify(Object.entries(search).toSorted());
  const { view: _, ...ofSaved } = toSearchOf(saved);
  return write(toViewSearch(view)) !== write(ofSaved);
}
