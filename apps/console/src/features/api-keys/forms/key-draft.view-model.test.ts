import { describe, expect, it } from "vitest";
import { makeKey } from "../keys.fixture.ts";
import {
  checkDraft,
  type DraftContext,
  type KeyDraft,
  toCreateInput,
  toDraft,
  toNewDraft,
  toUpdateInput,
} from "./key-draft.view-model.ts";

const CONTEXT: DraftContext = {
  tenantId: makeKey(1).tenantId,
  nowMs: Date.parse("2026-11-21T12:00:00.000Z"),
  timeZone: "Europe/Berlin",
};
const draft = (change: Partial<KeyDraft> = {}): KeyDraft => ({
  ...toNewDraft(undefined),
  name: "Worker",
  ...change,
});
const row = (rowId: number, name: string, text: string) => ({ rowId, name, text });

describe("a new key", () => {
  it("is live unless the page shows test keys, has no management scopes and no expiry", () => {
    expect(toCreateInput(draft(), CONTEXT)).toEqual({
      tenantId: CONTEXT.tenantId,
      name: "Worker",
      environment: "live",
      scopes: [],
      metadata: {},
    });
    expect(toNewDraft("test").environment).toBe("test");
  });

  it("expires after the preset, to the millisecond", () => {
    expect(toCreateInput(draft({ expiry: "30d" }), CONTEXT).expiresAt).toBe(
      "2026-12-21T12:00:00.000Z",
    );
  });

  it("expires at the chosen time in the reader's zone", () => {
    const input = toCreateInput(
      draft({ expiry: "custom", customExpiry: "2026-12-01T09:00" }),
      CONTEXT,
    );
    expect(input.expiresAt).toBe("2026-12-01T08:00:00.000Z");
  });

  it("takes filled lines of metadata with trimmed names", () => {
    const metadata = [row(0, " region ", "eu"), row(1, "", ""), row(2, "empty", "")];
    expect(toCreateInput(draft({ metadata }), CONTEXT).metadata).toEqual({
      region: "eu",
      empty: "",
    });
  });
});

describe("checkDraft", () => {
  it.each<[string, Partial<KeyDraft>, object]>([
    ["nothing for a valid draft", {}, {}],
    ["a missing name", { name: "  " }, { "/name": "Give the key a name." }],
    ["a missing date", { expiry: "custom" }, { "/expiresAt": "Choose a date and a time." }],
    [
      "a date in the past",
      { expiry: "custom", customExpiry: "2026-11-21T13:00" },
      { "/expiresAt": "The expiry must be in the future." },
    ],
    [
      "a value without a name",
      { metadata: [row(0, "", "x")] },
      { "/metadata/": "Every value needs a name." },
    ],
    [
      "a name given twice",
      { metadata: [row(0, "a", "1"), row(1, "a ", "2")] },
      { "/metadata/a": "Each name can be used only once." },
    ],
    [
      "invalid networks, naming the first ones",
      { networks: "192.0.2.0/24 a, b\nc;d 10.0.0.0/33" },
      {
        "/allowedNetworks":
          "Not an address or a range such as 192.0.2.0/24 or 2001:db8::/32: a, b, c and 2 more.",
      },
    ],
    [
      "too many networks",
      { networks: Array.from({ length: 51 }, (_, n) => `10.0.0.${String(n)}`).join("\n") },
      { "/allowedNetworks": "At most 50 networks." },
    ],
  ])("finds %s", (_, change, errors) => {
    expect(checkDraft(draft(change), CONTEXT)).toEqual(errors);
  });
});

describe("networks and limits", () => {
  const limited = draft({
    networks: " 10.1.2.3/8,\n2001:db8::/32 ",
    rateLimits: [{ rowId: 0, name: "burst", limit: 10, every: 2, unit: "minutes" }],
    quotas: [{ rowId: 0, meter: "requests", limit: 5_000 }],
  });

  it("are sent in the format of the API", () => {
    expect(toCreateInput(limited, CONTEXT)).toMatchObject({
      allowedNetworks: ["10.1.2.3/8", "2001:db8::/32"],
      rateLimits: [{ name: "burst", limit: 10, windowSeconds: 120 }],
      quotas: [{ meter: "requests", limit: 5_000 }],
    });
  });

  it("are sent only after a real change, not after a change of spelling", () => {
    const key = makeKey(1, {
      name: "Worker",
      allowedNetworks: ["10.0.0.0/8"],
      rateLimits: [{ windowSeconds: 120, limit: 10, name: "burst" }],
      quotas: [{ limit: 5_000, meter: "requests" }],
      concurrency: 5,
    });
    expect(toUpdateInput(key, toDraft(key), CONTEXT)).toBe(undefined);
    expect(toUpdateInput(key, { ...toDraft(key), networks: "10.1.2.3/8" }, CONTEXT)).toBe(
      undefined,
    );
    expect(
      toUpdateInput(key, { ...toDraft(key), networks: "10.0.0.0/8 10.1.2.3/8" }, CONTEXT),
    ).toBe(undefined);
    const open = {
      ...toDraft(key),
      networks: " ",
      rateLimits: [],
      quotas: [],
      concurrency: null,
    };
    expect(toUpdateInput(key, open, CONTEXT)).toEqual({
      tenantId: key.tenantId,
      keyId: key.keyId,
      allowedNetworks: [],
      rateLimits: [],
      quotas: [],
      concurrency: null,
    });
  });
});

describe("an allow-list that names a network twice", () => {
  it("differs from one of the same length with one more network", () => {
    const key = makeKey(1, { name: "Worker", allowedNetworks: ["10.0.0.0/8", "192.0.2.0/24"] });
    const edited = { ...toDraft(key), networks: "10.0.0.0/8\n10.0.0.0/8" };
    expect(toUpdateInput(key, edited, CONTEXT)).toMatchObject({
      allowedNetworks: ["10.0.0.0/8", "10.0.0.0/8"],
    });
  });
});

describe("an edited key", () => {
  const key = makeKey(1, {
    name: "Worker",
    scopes: ["usage:read", "keys:read"],
    expiresAt: "2026-12-24T00:00:00.000Z",
    metadata: { region: "eu", shard: 3, isNew: true },
  });

  it("sends nothing when nothing has changed", () => {
    expect(toUpdateInput(key, toDraft(key), CONTEXT)).toBe(undefined);
    const reordered = { ...toDraft(key), scopes: ["keys:read", "usage:read"] };
    expect(toUpdateInput(key, reordered, CONTEXT)).toBe(undefined);
  });

  it("sends only the changed fields", () => {
    const renamed = toUpdateInput(key, { ...toDraft(key), name: "Importer" }, CONTEXT);
    expect(renamed).toEqual({ tenantId: key.tenantId, keyId: key.keyId, name: "Importer" });
    const endless = toUpdateInput(key, { ...toDraft(key), expiry: "never" }, CONTEXT);
    expect(endless).toEqual({ tenantId: key.tenantId, keyId: key.keyId, expiresAt: null });
  });

  it("keeps numbers and booleans in the metadata as they are", () => {
    const before = toDraft(key);
    const metadata = before.metadata.map((line) =>
      line.name === "region" ? { ...line, text: "us" } : line,
    );
    expect(toUpdateInput(key, { ...before, metadata }, CONTEXT)?.metadata).toEqual({
      region: "us",
      shard: 3,
      isNew: true,
    });
  });

  it("drops a line that was removed", () => {
    const before = toDraft(key);
    const metadata = before.metadata.filter((line) => line.name !== "shard");
    expect(toUpdateInput(key, { ...before, metadata }, CONTEXT)?.metadata).toEqual({
      region: "eu",
      isNew: true,
    });
  });
});
