import { describe, expect, it } from "vitest";
import { toAnalyticsView } from "../analytics-search.view-model.ts";
import { isChanged, listOutdated, toSearchOf, toViewSearch } from "./saved-view.view-model.ts";

const SAVED = {
  viewId: "view-1",
  name: "Errors",
  isShared: false,
  revision: "7",
  search: { range: "7d", status: 404, route: "/a\\,b" },
};

describe("saved views", () => {
  it("save the parameters of the address, and restore them", () => {
    const view = toAnalyticsView(toSearchOf(SAVED));
    expect(toViewSearch(view)).toEqual(SAVED.search);
    expect(toSearchOf(SAVED)).toEqual({ ...SAVED.search, view: "view-1" });
    expect(isChanged(view, SAVED)).toBe(false);
    expect(isChanged({ ...view, isCompared: true }, SAVED)).toBe(true);
  });

  it("name the parameters that are no longer understood, and show the rest", () => {
    const old = { ...SAVED, search: { ...SAVED.search, percentile: "p75", outcome: "VALID,gone" } };
    expect(listOutdated(old)).toEqual(["percentile", "outcome"]);
    expect(toSearchOf(old)).toMatchObject({ range: "7d", status: 404, outcome: "VALID" });
    expect(listOutdated(SAVED)).toEqual([]);
  });
});
