import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { usePlatform } from "#platform/platform.tsx";
import { type SavedViews, savedViewsQuery, type ViewsOwner } from "#platform/saved-views.ts";
import type { AnalyticsSearch } from "../analytics-search.view-model.ts";
import { toSearchOf } from "./saved-view.view-model.ts";

/** Parameters of the frame, which are not part of the view. */
const NOT_OF_VIEW = new Set(["view", "environment", "tab", "tenant"]);

/**
 * The saved views. It also completes an address that names a view only: one from a palette link, or an empty one when the
 * person has a default view. Each is applied once, so that it can be changed afterwards.
 */
export function useSavedViews(
  owner: ViewsOwner,
  search: AnalyticsSearch,
  onSearchChange: (search: AnalyticsSearch) => void,
): SavedViews | undefined {
  const { api } = usePlatform();
  const { data } = useQuery(savedViewsQuery(api, owner));
  const isBare = Object.keys(search).every((name) => NOT_OF_VIEW.has(name));
  const wasBare = useRef(isBare);
  const applied = useRef<string>(undefined);
  useEffect(() => {
    if (data === undefined) {
      return;
    }
    const wanted = search.view ?? (wasBare.current ? data.defaultId : undefined);
    wasBare.current = false;
    const found = data.views.find(({ viewId }) => viewId === wanted);
    if (found !== undefined && isBare && applied.current !== found.viewId) {
      onSearchChange(toSearchOf(found));
    }
    applied.current = search.view ?? wanted;
  }, [data, search.view, isBare, onSearchChange]);
  return data;
}
