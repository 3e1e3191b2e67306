import { Validator } from "@seriousme/openapi-schema-validator";
import { contract } from "@turnpike/contract/contract";
import { VERDICT_CODES } from "@turnpike/contract/keys";
import { ERROR_CODES } from "@turnpike/domain/errors/error-codes";
import { describe, expect, it } from "vitest";
import { buildOpenApiDocument } from "./openapi-document.ts";
import { RAW_OPERATIONS } from "./raw-operations/raw-operations.ts";

const document = await buildOpenApiDocument({
  consoleUrl: "https://console.example.com",
  version: "1.2.3",
});
const text = JSON.stringify(document);
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
);

function findByRef(ref: string): unknown {
  let node: unknown = document;
  for (const step of ref.slice(2).split("/")) {
    node = (node as Record<string, unknown> | undefined)?.[step];
  }
  return node;
}

describe("buildOpenApiDocument", () => {
  it("is valid OpenAPI 3.1", async () => {
    const validator = new Validator();
    const result = await validator.validate(structuredClone(document));
    expect(result.errors).toBeUndefined();
    expect(result.valid).toBe(true);
    expect(validator.version).toBe("3.1");
  });

  it("holds every operation of the contract, with its method and its scope", () => {
    const expected = Object.entries(contract).flatMap(([module, routes]) =>
      Object.entries(routes).map(([name, procedure]) => {
        const { route, meta } = procedure["~orpc"];
        return {
          operationId: `${module}.${name}`,
          path: route.path,
          method: route.method?.toLowerCase(),
          scope: (meta as { scope: string }).scope,
        };
      }),
    );
    expect(expected.length).toBeGreaterThan(30);
    const described = operations.map(({ path, method, operation }) => ({
      operationId: operation.operationId,
      path,
      method,
      scope: operation["x-required-scope"],
    }));
    expect(described).toEqual(expect.arrayContaining(expected));
    expect(described).toHaveLength(expected.length + RAW_OPERATIONS.length);
  });

  it("says in words which scope an operation needs, and asks for a credential unless it is public", () => {
    for (const { operation } of operations) {
      const scope = operation["x-required-scope"];
      const words = {
        public: "Works without a credential.",
        person: "Needs the ID token of a signed-in person.",
      };
      expect(operation.description).toContain(
        scope === "public" || scope === "person" ? words[scope] : `Needs the scope \`${scope}\`.`,
      );
      expect(operation.security).toEqual(scope === "public" ? [] : [{ bearer: [] }]);
    }
  });

  it("has no reference that leads nowhere", () => {
    const refs = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref ?? "");
    expect(refs.length).toBeGreaterThan(50);
    expect(refs.filter((ref) => !ref.startsWith("#/") || findByRef(ref) === undefined)).toEqual([]);
  });

  it("has a name of its own for every operation", () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("describes no value as impossible, which is how a check by code would come out", () => {
    expect(text.includes('"not":{}')).toBe(false);
    expect(findByRef("#/components/schemas/TenantId")).toMatchObject({
      type: "string",
      pattern: "^ten_[0-9a-f]{32}$",
    });
  });

  it("describes every failure of every operation as a problem with a known code", () => {
    expect(findByRef("#/components/schemas/Problem/properties/code/enum")).toEqual(
      Object.keys(ERROR_CODES),
    );
    for (const { operation } of operations) {
      const failures = Object.entries(operation.responses ?? {}).filter(
        ([status]) => Number(status) >= 400 && status !== "416",
      );
      expect(failures.map(([status]) => status)).toEqual(
        expect.arrayContaining(["401", "500", "503"]),
      );
      for (const [, response] of failures) {
        expect(response).toMatchObject({
          content: {
            "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } },
          },
        });
      }
    }
  });

  it("declares what stands in the way of single operations, with the codes", () => {
    const problemsOf = (operationId: string) =>
      Object.values(
        operations.find(({ operation }) => operation.operationId === operationId)?.operation
          .responses ?? {},
      )
        .flatMap((response) => ("description" in response ? [response.description] : []))
        .join(" ");
    for (const [operationId, codes] of [
      ["keys.verify", ["IDEMPOTENCY_KEY_IN_USE", "IDEMPOTENCY_KEY_REUSED"]],
      ["keys.update", ["CONFLICT"]],
      ["keys.roll", ["CONFLICT"]],
      ["locks.settle", ["LOCK_ENDED", "LOCK_EXCEEDED", "LOCK_LAPSED"]],
      ["locks.release", ["LOCK_ENDED", "LOCK_LAPSED"]],
      ["tenants.restore", ["CONFLICT"]],
      ["exports.create", ["CONFLICT"]],
      ["exports.content", ["CONFLICT"]],
      ["webhooks.resend", ["CONFLICT"]],
      ["operatorWebhooks.create", ["CONFLICT"]],
      ["leaks.github", ["LEAK_REPORT_UNVERIFIED", "LEAK_KEYS_UNAVAILABLE"]],
      ["usage.live", ["TENANT_SUSPENDED", "TOO_MANY_STREAMS", "OVERLOADED"]],
    ] as const) {
      for (const code of codes) {
        expect(problemsOf(operationId), operationId).toContain(`[${code}](`);
      }
    }
  });

  it("has the headers by which a verification may be repeated", () => {
    const verify = document.paths["/keys/verify"]?.post;
    expect(verify?.parameters).toEqual([
      expect.objectContaining({
        name: "Idempotency-Key",
        in: "header",
        required: false,
        schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[\\x20-\\x7e]+$" },
      }),
    ]);
    expect(verify?.responses?.["200"]).toMatchObject({
      headers: { "Idempotency-Replayed": { schema: { enum: ["true"] } } },
    });
  });

  it("names the codes of a verdict and leaves room for further ones", () => {
    expect(findByRef("#/components/schemas/Verdict/properties/code/anyOf")).toEqual([
      { type: "string", enum: [...VERDICT_CODES] },
      { type: "string" },
    ]);
  });

  it("says that the path of a verified call begins with a slash", () => {
    expect(document.paths["/keys/verify"]?.post?.requestBody).toMatchObject({
      content: {
        "application/json": { schema: { properties: { resource: { pattern: "^\\/" } } } },
      },
    });
  });

  it("names the public address, the version and the license", () => {
    expect(document.servers).toEqual([{ url: "https://console.example.com/v1" }]);
    expect(document.info.version).toBe("1.2.3");
    expect(document.info.license?.identifier).toBe("Apache-2.0");
  });

  it("puts every operation under a tag that is described", () => {
    const described = new Set(document.tags?.map((tag) => tag.name));
    for (const { operation } of operations) {
      expect(operation.tags).toHaveLength(1);
      expect(described).toContain(operation.tags?.[0]);
    }
  });
});
