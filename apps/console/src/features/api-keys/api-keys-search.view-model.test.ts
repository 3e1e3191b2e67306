import { describe, expect, it } from "vitest";
import {
  clearFilters,
  goBack,
  goOn,
  isNarrowed,
  narrow,
  parseApiKeysSearch,
  toApiKeysSearch,
  toKeysView,
} from "./api-keys-search.view-model.ts";
import { toTestKeyId } from "./keys.fixture.ts";

const FULL = {
  q: "worker",
  environment: "test",
  state: "disabled",
  sort: "name",
  after: "Y3Vyc29y.bmV4dA",
  hide: "scopes,created",
  key: toTestKeyId(7),
  dialog: "create",
};

describe("the address of the keys", () => {
  it("keeps everything that the view is made of", () => {
    expect(parseApiKeysSearch(FULL)).toEqual(FULL);
  });

  it("is empty for the view that everybody begins with", () => {
    expect(toApiKeysSearch(toKeysView({}))).toEqual({});
    expect(parseApiKeysSearch({ sort: "-createdAt", q: "", hide: "" })).toEqual({});
  });

  it.each([
    ["another sort", { sort: "lastUsed" }],
    ["an unknown state", { state: "broken" }],
    ["an unknown environment", { environment: "both" }],
    ["a column that is always there", { hide: "name,state" }],
    ["what is no id of a key", { key: "key_1" }],
    ["an id of something else", { key: toTestKeyId(1).replace("key_", "usr_") }],
    ["another dialog", { dialog: "delete" }],
    ["what is no cursor", { after: "a b.<script>" }],
    ["a list where a text belongs", { q: ["a"], state: {} }],
  ])("forgets %s", (_, search) => {
    expect(parseApiKeysSearch(search)).toEqual({});
  });

  it("looks for numbers and words that the router reads as values", () => {
    expect(toKeysView({ q: 404 }).q).toBe("404");
    expect(toKeysView({ q: true }).q).toBe("true");
  });

  it("carries cursors of any signs through the address", () => {
    const view = goOn(goOn(toKeysView({}), "key_1:A.B (~c%)'ü|"), "2");
    const { after } = toApiKeysSearch(view);
    expect(after).toMatch(/^[\w~-]+\.2$/);
    expect(toKeysView({ after }).cursors).toEqual(view.cursors);
    expect(toKeysView({ after: "~zz.~ff" }).cursors).toEqual([]);
  });

  it("holds a search of a bounded length and a bounded number of pages", () => {
    expect(toKeysView({ q: "x".repeat(500) }).q).toHaveLength(100);
    const after = Array.from({ length: 50 }, (_, page) => `c${String(page)}`).join(".");
    const { cursors } = toKeysView({ after });
    expect(cursors).toHaveLength(20);
    expect(cursors.at(-1)).toBe("c49");
  });
});

describe("pages", () => {
  it("go on and back, and begin anew when something else is looked for", () => {
    const second = goOn(toKeysView({}), "one");
    const third = goOn(second, "two");
    expect(third.cursors).toEqual(["one", "two"]);
    expect(goBack(third)).toEqual(second);
    expect(goBack(second).cursors).toEqual([]);
    expect(narrow(third, { q: "a" })).toMatchObject({ q: "a", cursors: [] });
  });
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
