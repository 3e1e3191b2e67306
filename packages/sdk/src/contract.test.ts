import {
  limitState,
  type VerifyKeyRequest,
  type VerifyKeyResponse,
  verifyKeyRequest,
  verifyKeyResponse,
} from "@turnpike/contract/keys";
import type { Lock as ContractLock } from "@turnpike/contract/locks";
import { ERROR_CODES } from "@turnpike/domain/errors/error-codes";
import { expect, expectTypeOf, it } from "vitest";
import { DENIALS } from "./denials.ts";
import type { LimitState, Lock, VerifyReply, VerifyRequest } from "./verification.ts";

// The published types stand alone, for the contract is not published: here they are held against it.

it("asks what the contract takes, name for name", () => {
  const full: Required<VerifyRequest> = {
    key: "tp_live_x",
    cost: 2,
    meter: "requests",
    scopes: "maps:read",
    resource: "/v1/maps",
    environment: "live",
    address: "192.0.2.1",
    lock: { ttlSeconds: 60 },
  };
  expect(verifyKeyRequest.parse(full)).toEqual(full);
  expect(Object.keys(full).sort()).toEqual(Object.keys(verifyKeyRequest.shape).sort());
  expectTypeOf<
    Required<VerifyRequest> & { lock: { ttlSeconds: number } }
  >().toExtend<VerifyKeyRequest>();
  expect(verifyKeyRequest.parse({ key: "k", lock: {} }).lock).toEqual({ ttlSeconds: 600 });
  expectTypeOf<keyof VerifyRequest>().toEqualTypeOf<keyof VerifyKeyRequest>();
});

it("reads what the contract answers, name for name", () => {
  const limit: LimitState = {
    name: "burst",
    kind: "rate_limit",
    scope: "tenant",
    limit: 10,
    remaining: 0,
    windowSeconds: 1,
    resetAt: "2026-01-01T00:00:00.000Z",
  };
  expect(Object.keys(limit).sort()).toEqual(Object.keys(limitState.shape).sort());
  // The contract has one shape for both verdicts; which fields each has always, the server itself shows elsewhere.
  expectTypeOf<Required<VerifyKeyResponse>>().toExtend<{
    [Name in keyof VerifyReply]: VerifyReply[Name];
  }>();
  expectTypeOf<keyof VerifyReply>().toEqualTypeOf<keyof VerifyKeyResponse>();
  expectTypeOf<ContractLock>().toExtend<Lock>();
  expectTypeOf<keyof Lock>().toEqualTypeOf<keyof ContractLock>();
  expect(verifyKeyResponse.shape.valid).toBeDefined();
});

it("answers each code with the status and the title of the gateway", () => {
  for (const [code, { status, title }] of Object.entries(DENIALS)) {
    expect(ERROR_CODES).toHaveProperty(code, { status, title });
  }
});
