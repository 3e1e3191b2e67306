import { verifyKeyResponse } from "@turnpike/contract/keys";
import type { TenantId } from "@turnpike/domain/ids/ids";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { asciiJson } from "#platform/ascii-json.ts";
import { newUuidId } from "#platform/new-id.ts";
import type { Subject } from "../decide/call-to-decide.ts";
import type { LimitView } from "../decide/limits/limit-view.ts";
import { admissionText, denialText } from "./verdict-text.ts";

const tenantId = newUuidId("tenant") as TenantId;
const requestId = newUuidId("request");

/** Names of people hold anything: quotes, line ends, emoji, lone surrogates. */
const anyText = fc.string({ unit: "binary", maxLength: 40 });
const anyInstantMs = fc.oneof(
  fc.integer({ min: 0, max: 4_000_000_000_000 }),
  fc.double({ min: 0, max: 4_000_000_000_000, noNaN: true }),
);

/** What people wrote, as it is to be read back. */
type Written = { name: string; metadata: Record<string, unknown> };

const anySubject: fc.Arbitrary<Written & { subject: Subject }> = fc
  .record({
    name: anyText,
    scopes: fc.subarray(["maps:read", "maps:write", "keys:read"]),
    planScopes: fc.option(fc.subarray(["maps:read", "maps:write"]), { nil: undefined }),
    metadata: fc.dictionary(anyText, fc.jsonValue() as fc.Arbitrary<unknown>, { maxKeys: 3 }),
    expiresAtMs: fc.oneof(anyInstantMs, fc.constant(Number.POSITIVE_INFINITY)),
    environment: fc.constantFrom("live" as const, "test" as const),
  })
  .map(({ planScopes, metadata, name, ...key }) => ({
    name,
    metadata: JSON.parse(JSON.stringify(metadata)) as Record<string, unknown>,
    subject: {
      key: {
        ...key,
        keyId: newUuidId("key"),
        originKeyId: newUuidId("key"),
        tenantId,
        nameText: asciiJson(name),
        metadataText: asciiJson(metadata),
        networks: undefined,
        rateLimits: [],
        quotas: [],
        updatedAtMs: 0,
        disabled: false,
        revoked: false,
      },
      tenant: {
        tenantId,
        suspended: false,
        standing: "current" as const,
        planId: "team-plan",
        planVersion: 3,
        terms: { quotas: [], rateLimits: [], ...(planScopes && { scopes: planScopes }) } as never,
        periodAnchor: new Date(0),
        periodUnit: "month" as const,
      },
      periodStartMs: 0,
      periodEndMs: 1,
    },
  }));

/** Verification reports no other kind. */
type TimedLimit = Extract<LimitView, { kind: "rate_limit" | "quota" }>;

const anyLimit: fc.Arbitrary<TimedLimit> = fc.record({
  name: anyText,
  kind: fc.constantFrom("rate_limit" as const, "quota" as const),
  scope: fc.constantFrom("tenant" as const, "key" as const),
  limit: fc.integer({ min: 0, max: 1e15 }),
  remaining: fc.integer({ min: 0, max: 1e15 }),
  windowSeconds: fc.integer({ min: 1, max: 86_400 }),
  resetAtMs: anyInstantMs,
  moreAtMs: fc.constant(0),
});

/** A rate limit has a window; a quota has a billing period, whose end it says. */
function toLimitReply({ name, kind, scope, limit, remaining, resetAtMs, ...view }: TimedLimit) {
  const window = kind === "rate_limit" ? { windowSeconds: view.windowSeconds } : {};
  const resetAt = new Date(resetAtMs).toISOString();
  return { name, kind, scope, limit, remaining, ...window, resetAt };
}

function toSubjectReply({ key, tenant }: Subject, { name, metadata }: Written) {
  const allowed = tenant.terms.scopes ?? [];
  return {
    keyId: key.keyId,
    keyName: name,
    tenantId: tenant.tenantId,
    planId: "team-plan",
    planVersion: 3,
    environment: key.environment,
    scopes: key.scopes.filter((scope) => scope === "keys:read" || allowed.includes(scope)),
    metadata,
    expiresAt:
      key.expiresAtMs === Number.POSITIVE_INFINITY ? null : new Date(key.expiresAtMs).toISOString(),
  };
}

describe("the text of a verdict", () => {
  it("is the JSON of what was decided, with anything that people wrote into names and metadata", () => {
    fc.assert(
      fc.property(
        anySubject,
        fc.array(anyLimit, { maxLength: 4 }),
        ({ subject, ...written }, limits) => {
          const text = admissionText(
            { allowed: true, keyHash: "", ...subject, cost: 1, hold: undefined, limits },
            requestId,
          );
          // Its length is sent as that of its bytes.
          expect(Buffer.byteLength(text)).toBe(text.length);
          const verdict: unknown = JSON.parse(text);
          expect(verdict).toEqual({
            valid: true,
            code: "VALID",
            requestId,
            ...toSubjectReply(subject, written),
            limits: limits.map(toLimitReply),
          });
          expect(verifyKeyResponse.safeParse(verdict).error).toBeUndefined();
        },
      ),
    );
  });

  it("says of a denial what is known and leaves out the rest", () => {
    fc.assert(
      fc.property(
        fc.option(anySubject, { nil: undefined }),
        fc.array(anyLimit, { maxLength: 3 }),
        fc.record({
          detail: anyText,
          missingScopes: fc.array(anyText, { maxLength: 2 }),
          retryAfterMs: fc.option(fc.integer({ min: 0, max: 10_000_000 }), { nil: undefined }),
          offer: fc.option(fc.record({ planId: anyText, name: anyText, url: anyText })),
          paymentUrl: fc.option(anyText, { nil: undefined }),
        }),
        (known, limits, { offer, paymentUrl, ...more }) => {
          const text = denialText(
            {
              allowed: false,
              code: "RATE_LIMITED",
              subject: known?.subject,
              limit: limits[0],
              limits,
              ...more,
            },
            { requestId, offer, paymentUrl },
          );
          expect(Buffer.byteLength(text)).toBe(text.length);
          const verdict: unknown = JSON.parse(text);
          expect(verdict).toEqual({
            valid: false,
            code: "RATE_LIMITED",
            detail: more.detail,
            requestId,
            ...(known === undefined ? {} : toSubjectReply(known.subject, known)),
            ...(limits.length === 0 ? {} : { limits: limits.map(toLimitReply) }),
            ...(more.missingScopes.length === 0 ? {} : { missingScopes: more.missingScopes }),
            ...(more.retryAfterMs === undefined
              ? {}
              : { retryAfterSeconds: Math.max(1, Math.ceil(more.retryAfterMs / 1000)) }),
            ...(paymentUrl === undefined ? {} : { paymentUrl }),
            offer,
          });
          expect(verifyKeyResponse.safeParse(verdict).error).toBeUndefined();
        },
      ),
    );
  });
});
