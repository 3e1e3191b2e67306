import { describe, expect, it } from "vitest";
import { fileName } from "./files.ts";
import { importKeyRow } from "./key-import.ts";
import { createKeyRequest, createServiceKeyRequest, updateKeyRequest } from "./keys.ts";
import { displayName, displayNote, instant } from "./shapes.ts";
import { createTenantRequest, ensureUserRequest } from "./tenants.ts";

describe("an instant", () => {
  it.each([
    ["2030-01-01T00:00:00Z", "2030-01-01T00:00:00Z"],
    ["2030-01-01T00:00:00+01:00", "2029-12-31T23:00:00.000Z"],
    ["2030-01-01T00:00:00.5-02:30", "2030-01-01T02:30:00.500Z"],
  ])("of %s is %s in UTC", (text, expected) => {
    expect(instant.parse(text)).toBe(expected);
  });

  it.each(["2030-01-01", "2030-01-01T00:00:00", "2030-02-30T00:00:00Z", "tomorrow"])(
    "is not %s",
    (text) => {
      expect(instant.safeParse(text).success).toBe(false);
    },
  );

  it("lies in 1970 or later in UTC, in every zone", () => {
    expect(instant.safeParse("1970-01-01T00:30:00+01:00").success).toBe(false);
    expect(instant.safeParse("1969-12-31T23:30:00-01:00").success).toBe(true);
  });
});

it("metadata of a key names the allowed values and their length", () => {
  const messagesOf = (value: unknown) =>
    createKeyRequest.shape.metadata
      .safeParse({ a: value })
      .error?.issues.map(({ path, message }) => [path.join("/"), message]);
  expect(messagesOf({ b: 1 })).toEqual([["a", "A text, a number, true or false."]]);
  expect(messagesOf(null)).toEqual([["a", "A text, a number, true or false."]]);
  expect(messagesOf("x".repeat(501))).toEqual([["a", "At most 500 characters."]]);
});

describe("a name", () => {
  it("is stored with plain spaces and letters", () => {
    expect(displayName(10).parse("\u00a0ＡＢＣ\u3000１\u202f")).toBe("ABC 1");
    expect(displayNote(10).parse("Acme\u00a0Corp")).toBe("Acme Corp");
    expect(fileName.parse("Shot 9.41\u202fAM.png")).toBe("Shot 9.41 AM.png");
  });

  it("of a file holds no full-width slash that becomes a path", () => {
    expect(fileName.safeParse("a／b").success).toBe(false);
  });

  it.each(["acme.production", "order-service.prod", "data:read", "ada@acme.com", "acme.com"])(
    "of a key may be %s",
    (name) => {
      for (const { shape } of [
        createKeyRequest,
        createServiceKeyRequest,
        updateKeyRequest,
        importKeyRow,
      ]) {
        expect(shape.name.safeParse(name).data).toBe(name);
      }
    },
  );

  it("of a tenant is no address, and the answer says what to write", () => {
    expect(createTenantRequest.safeParse({ name: "acme.com" }).error?.issues[0]?.message).toBe(
      "Must not contain a web or e-mail address. Leave out the ending (Acme instead of acme.com), or put a space after the full stop.",
    );
  });

  it("of a person never keeps a program from naming the user", () => {
    const user = { issuer: "https://id.example.com", subject: "s", name: "ada@acme.com" };
    expect(ensureUserRequest.safeParse(user).success).toBe(true);
  });
});
