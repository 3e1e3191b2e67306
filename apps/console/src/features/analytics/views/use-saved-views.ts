import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { usePlatform } from "#platform/platform.tsx";
import { type SavedViews, savedViewsQuery, type ViewsOwner } from "#platform/saved-views.ts";
import type { AnalyticsSearch } from "../analytics-search.view-model.ts";
import { toSearchOf } from "./saved-view.view-model.ts";

/** Of the frame: they say nothing about what is looked at. */
const NOT_OF_VIEW = new Set(["view", "environment", "tab", "tenant"]);

/**
 * The saved views, and the address brought up to the one that it names: by a link of the palette, or by nothing at all when
 * the person has chosen a view to begin with. Each is applied once, so that it can be changed.
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
