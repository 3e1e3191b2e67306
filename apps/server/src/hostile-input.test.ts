import { verifyTokenRequest } from "@turnpike/contract/auth";
import { importKeyRow } from "@turnpike/contract/key-import";
import { isStorableText } from "@turnpike/domain/text/storable-text";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { goodRequest, MISSING_IDS, OPERATIONS, paramsOf } from "./good-requests.fixture.ts";

type Write = { id: string; input: z.ZodType; params: object; body: Record<string, unknown> };

const WRITES: Write[] = [
  ...OPERATIONS.filter(({ takesBody }) => takesBody).map((operation) => ({
    id: operation.id,
    input: operation.input,
    params: paramsOf(operation, MISSING_IDS),
    body: { ...goodRequest(operation, MISSING_IDS).body },
  })),
  // Each row is read on its own, so that one bad row spoils no other.
  {
    id: "a row of keys.import",
    input: importKeyRow,
    params: {},
    body: { hash: "0123456789abcdef".repeat(4), name: "Imported" },
  },
  // Beside the contract, and open to everyone.
  { id: "auth.verify", input: verifyTokenRequest, params: {}, body: { token: "a.b.c" } },
];

const writeId = fc.constantFrom(...WRITES.map(({ id }) => id));

function getWrite(id: string): Write {
  return WRITES.find((write) => write.id === id) ?? expect.fail(id);
}

/** Fields that the server sets, and names that objects have anyway. */
const RESERVED = [
  "tenantId",
  "userId",
  "keyId",
  "createdAt",
  "createdBy",
  "revokedAt",
  "suspendedAt",
  "planVersion",
  "periodAnchor",
  "state",
  "start",
  "lastFour",
  "revision",
  "readAt",
  "isDefault",
  "version",
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "__proto__.polluted",
  "a[__proto__][polluted]",
];
/** Where a client says which person: a notice for one, or everything that one has read. */
const NAMES_A_USER = ["notifications.create", "notifications.markAllRead"];

/** What is only hashed or compared, at these paths. */
const NEVER_STORED = new Set([
  "invitations.preview/token",
  "invitations.accept/token",
  "setup.check/code",
  "setup.claim/code",
  "keys.verify/key",
  "auth.verify/token",
  "tenants.delete/name",
]);

/** JSON text and back, because an object literal cannot have an own `__proto__`. */
function withMember(body: object, name: string, value: unknown): unknown {
  const member = `${JSON.stringify(name)}:${JSON.stringify(value)}`;
  const text = JSON.stringify(body);
  return JSON.parse(text === "{}" ? `{${member}}` : `${text.slice(0, -1)},${member}}`);
}

function textsOf(value: unknown): string[] {
  if (typeof value === "string") {
    return [value];
  }
  return typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([name, inner]) => [name, ...textsOf(inner)])
    : [];
}

type Path = readonly (string | number)[];

/** The way to every value inside of a body, the body itself left out. */
function listPaths(value: unknown, before: Path = []): Path[] {
  if (typeof value !== "object" || value === null) {
    return [];
  }
  const entries = Array.isArray(value)
    ? value.map((inner, index) => [index, inner] as const)
    : Object.entries(value);
  return entries.flatMap(([name, inner]) => {
    const path = [...before, name];
    return [path, ...listPaths(inner, path)];
  });
}

function replaceAt(value: unknown, [name, ...rest]: Path, replacement: unknown): unknown {
  if (name === undefined) {
    return replacement;
  }
  if (Array.isArray(value)) {
    return value.with(Number(name), replaceAt(value[Number(name)], rest, replacement));
  }
  const members = value as Record<string, unknown>;
  return { ...members, [name]: replaceAt(members[String(name)], rest, replacement) };
}

const hostileText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  // Halves of pairs, which no database holds.
  fc.integer({ min: 0xd800, max: 0xdfff }).map((code) => `a${String.fromCharCode(code)}`),
  fc.constantFrom(
    "\u0000",
    "a\u0000b",
    "\u202eabc",
    "\u2028",
    "x".repeat(5_000),
    "' or 1=1 --",
    "%s%n",
    "../../etc/passwd",
    "\u{10ffff}",
    "<script>",
    "0000-01-01T00:00:00.000Z",
    "2020-02-30T00:00:00Z",
    "2099-01-01T00:00:00+25:00",
    "+275760-09-13T00:00:00.001Z",
  ),
);
const hostileValue = fc.oneof(
  { weight: 4, arbitrary: hostileText },
  {
    weight: 1,
    arbitrary: fc.oneof(
      fc.constantFrom<unknown>(
        null,
        true,
        -1,
        Number.POSITIVE_INFINITY,
        2 ** 60,
        0.1,
        [],
        {},
        [[]],
        [null],
      ),
      fc.jsonValue(),
    ),
  },
);

describe("the schemas of the contract", () => {
  it("take the good request of every operation", () => {
    for (const { id, input, params, body } of WRITES) {
      const parsed = input.safeParse({ ...params, ...body });
      expect(parsed.error?.issues, id).toBeUndefined();
    }
  });

  it("take no member that they do not name, among them what is the server's to set", () => {
    const holds = (id: string, name: string, value: unknown) => {
      const { input, params, body } = getWrite(id);
      const isNamed =
        Object.hasOwn(params, name) || (name === "userId" && NAMES_A_USER.includes(id));
      const before = Object.keys(Object.prototype);
      const parsed = input.safeParse(withMember({ ...params, ...body }, name, value));
      expect(Object.keys(Object.prototype)).toEqual(before);
      if (!isNamed && parsed.success) {
        expect(Object.hasOwn(parsed.data as object, name), `${id} takes ${name}`).toBe(false);
        expect.fail(`${id} lets ${name} pass.`);
      }
    };
    for (const { id } of WRITES) {
      for (const name of RESERVED) {
        holds(id, name, null);
        holds(id, name, { polluted: true });
      }
    }
    const name = fc
      .string({ unit: "binary", minLength: 1, maxLength: 20 })
      .map((text) => `?${text}`);
    fc.assert(fc.property(writeId, name, fc.jsonValue(), holds), { numRuns: 2_000 });
  });

  it("take only objects as bodies", () => {
    const body = fc.oneof(
      fc.jsonValue().filter((value) => typeof value !== "object" || Array.isArray(value)),
      fc.constantFrom<unknown>([], [{}], "text", 1, true),
    );
    fc.assert(
      fc.property(writeId, body, (id, value) => {
        expect(getWrite(id).input.safeParse(value).success, id).toBe(false);
      }),
      { numRuns: 1_000 },
    );
  });

  it("take, wherever a value stands, only text that a database can hold, and never fail over one", () => {
    const changed = writeId.chain((id) => {
      const paths = listPaths(getWrite(id).body);
      return fc.record({
        id: fc.constant(id),
        path: paths.length === 0 ? fc.constant([]) : fc.constantFrom(...paths),
        value: hostileValue,
      });
    });
    fc.assert(
      fc.property(changed, ({ id, path, value }) => {
        const { input, params, body } = getWrite(id);
        const parsed = input.safeParse({
          ...params,
          ...(path.length === 0 ? {} : (replaceAt(body, path, value) as object)),
        });
        const place = `${id}/${path.join("/")}`;
        const isStored = !(NEVER_STORED.has(place) || place.startsWith("keys.import/rows/"));
        const unstorable = textsOf(parsed.data).filter((text) => !isStorableText(text));
        expect(isStored ? unstorable : [], place).toEqual([]);
      }),
      { numRuns: 10_000 },
    );
  });

  it("take only text that a database can hold in fields that a request may leave out", () => {
    const optional: [string, (text: string) => object][] = [
      ["tenants.create", (text) => ({ name: "T", externalId: text })],
      ["tenants.create", (text) => ({ name: "T", slug: text })],
      ["tenants.ensureUser", (text) => ({ issuer: `https://i.example.com/${text}`, subject: "s" })],
      [
        "tenants.ensureUser",
        (text) => ({ issuer: "https://i.example.com", subject: "s", name: text }),
      ],
      ["keys.create", (text) => ({ name: "K", metadata: { a: text } })],
      ["keys.create", (text) => ({ name: "K", metadata: { [text]: "a" } })],
      ["catalog.apply", (text) => ({ plans: [{ planId: "p", name: "P", description: text }] })],
      ["documents.put", (text) => ({ body: { a: { b: [text] } } })],
      ["documents.put", (text) => ({ body: { [text]: 1 } })],
    ];
    for (const [wanted, bodyOf] of optional) {
      const { input, params } = getWrite(wanted);
      for (const text of ["\u0000", "a\u0000", "\ud800"]) {
        const parsed = input.safeParse({ ...params, ...bodyOf(text) });
        expect(parsed.success, `${wanted}: ${JSON.stringify(bodyOf(text))}`).toBe(false);
      }
    }
  });

  it("take only text that a database can hold in queries", () => {
    const reads = OPERATIONS.filter(({ method }) => method === "GET");
    const query = fc.record({
      id: fc.constantFrom(...reads.map(({ id }) => id)),
      values: fc.dictionary(
        fc.constantFrom("cursor", "limit", "meter", "from", "to", "by", "userId", "unread", "q"),
        hostileText,
      ),
    });
    fc.assert(
      fc.property(query, ({ id, values }) => {
        const operation = reads.find((read) => read.id === id) ?? expect.fail(id);
        const parsed = operation.input.safeParse({
          ...paramsOf(operation, MISSING_IDS),
          ...values,
        });
        const unstorable = textsOf(parsed.data).filter((text) => !isStorableText(text));
        expect(unstorable, id).toEqual([]);
      }),
      { numRuns: 3_000 },
    );
  });
});
