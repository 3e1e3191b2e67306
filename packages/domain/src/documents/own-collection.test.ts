import { describe, expect, it } from "vitest";
import { mayUseCollection, ownCollection } from "./own-collection.ts";

const ANN = "usr_0199f3b0c1d27a4e8f60112233445566";
const BOB = "usr_0199f3b0c1d27a4e8f60112233445567";

describe("own collections", () => {
  it("have names that are valid for collections", () => {
    expect(ownCollection("analytics-views", ANN)).toBe(
      "my-analytics-views-0199f3b0c1d27a4e8f60112233445566",
    );
    expect(ownCollection("x".repeat(28), ANN).length).toBe(64);
  });

  it("are open only to their owner; all other collections are open to everyone", () => {
    expect(mayUseCollection(ANN, ownCollection("views", ANN))).toBe(true);
    expect(mayUseCollection(BOB, ownCollection("views", ANN))).toBe(false);
    expect(mayUseCollection(ANN, "my-views")).toBe(false);
    expect(mayUseCollection(ANN, "analytics-views")).toBe(true);
    expect(mayUseCollection(ANN, "mystery")).toBe(true);
  });
});
