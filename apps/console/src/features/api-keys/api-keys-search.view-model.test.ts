import { describe, expect, it } from "vitest";
import {
  clearFilters,
  goBack,
  goOn,
  isNarrowed,
  isWayBackLost,
  narrow,
  parseApiKeysSearch,
  toApiKeysSearch,
  toKeysView,
  toPageNumber,
} from "./api-keys-search.view-model.ts";
import { toTestKeyId } from "./keys.fixture.ts";

const FULL = {
  q: "worker",
  environment: "test",
  state: "disabled",
  sort: "name",
  after: "Y3Vyc29y.bmV4dA",
  skipped: 3,
  hide: "scopes,created",
  key: toTestKeyId(7),
  dialog: "create",
};

describe("the address of the keys", () => {
  it("keeps the whole view", () => {
    expect(parseApiKeysSearch(FULL)).toEqual(FULL);
  });

  it("names the key that is rolled", () => {
    const search = { key: toTestKeyId(7), dialog: "roll" };
    expect(parseApiKeysSearch(search)).toEqual(search);
  });

  it("is empty for the default view", () => {
    expect(toApiKeysSearch(toKeysView({}))).toEqual({});
    expect(parseApiKeysSearch({ sort: "-createdAt", q: "", hide: "" })).toEqual({});
  });

  it.each([
    ["an unknown sort", { sort: "lastUsed" }],
    ["an unknown state", { state: "broken" }],
    ["an unknown environment", { environment: "both" }],
    ["a column that cannot be hidden", { hide: "name,state" }],
    ["an invalid key id", { key: "key_1" }],
    ["the id of something else", { key: toTestKeyId(1).replace("key_", "usr_") }],
    ["an unknown dialog", { dialog: "delete" }],
    ["a roll of no key", { dialog: "roll" }],
    ["skipped pages without a page", { skipped: 3 }],
    ["an invalid cursor", { after: "a b.<script>" }],
    ["a list instead of a text", { q: ["a"], state: {} }],
  ])("ignores %s", (_, search) => {
    expect(parseApiKeysSearch(search)).toEqual({});
  });

  it("searches for numbers and words that the router parses as values", () => {
    expect(toKeysView({ q: 404 }).q).toBe("404");
    expect(toKeysView({ q: true }).q).toBe("true");
  });

  it("carries cursors with any characters through the address", () => {
    const view = goOn(goOn(toKeysView({}), "key_1:A.B (~c%)'ü|"), "2");
    const { after } = toApiKeysSearch(view);
    expect(after).toMatch(/^[\w~-]+\.2$/);
    expect(toKeysView({ after }).cursors).toEqual(view.cursors);
    expect(toKeysView({ after: "~zz.~ff" }).cursors).toEqual([]);
  });

  it("limits the length of a search and the number of pages", () => {
    expect(toKeysView({ q: "x".repeat(500) }).q).toHaveLength(100);
    const after = Array.from({ length: 50 }, (_, page) => `c${String(page)}`).join(".");
    const view = toKeysView({ after, skipped: 7 });
    expect(view.cursors).toHaveLength(20);
    expect(view.cursors.at(-1)).toBe("c49");
    expect(toPageNumber(view)).toBe(58);
  });
});

describe("pages", () => {
  it("go forward and back, and restart when the search changes", () => {
    const second = goOn(toKeysView({}), "one");
    const third = goOn(second, "two");
    expect(third.cursors).toEqual(["one", "two"]);
    expect(goBack(third)).toEqual(second);
    expect(goBack(second).cursors).toEqual([]);
    expect(narrow(third, { q: "a" })).toMatchObject({ q: "a", cursors: [] });
  });
});

describe("the number of a page", () => {
  it("keeps counting after old cursors are dropped, and is 1 only on the first page", () => {
    let view = toKeysView({});
    expect(toPageNumber(view)).toBe(1);
    for (let page = 2; page <= 25; page += 1) {
      view = toKeysView(toApiKeysSearch(goOn(view, `c${String(page)}`)));
      expect(toPageNumber(view)).toBe(page);
    }
    for (let page = 24; page > 5; page -= 1) {
      expect(isWayBackLost(view)).toBe(false);
      view = goBack(view);
      expect(toPageNumber(view)).toBe(page);
    }
    // The cursor of page 5 is gone.
    expect(isWayBackLost(view)).toBe(true);
    expect(toApiKeysSearch(goBack(view))).toEqual({});
  });

  it.each([["-1"], ["1.5"], ["x"], [""], ["12345678"]])(
    "ignores an invalid count: %j",
    (skipped) => {
      expect(toPageNumber(toKeysView({ after: "one", skipped }))).toBe(2);
    },
  );
});

describe("filters", () => {
  it("are cleared together, and the order stays", () => {
    const view = toKeysView(FULL);
    expect(isNarrowed(view)).toBe(true);
    const cleared = clearFilters(view);
    expect(isNarrowed(cleared)).toBe(false);
    expect(cleared.sort).toBe("name");
    expect(cleared.cursors).toEqual([]);
  });
});
