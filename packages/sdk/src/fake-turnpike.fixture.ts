import { createTurnpike, type Turnpike, type TurnpikeOptions } from "./create-turnpike.ts";
import type { VerifyReply, VerifyRequest } from "./verification.ts";

/** A client of a Turnpike that knows one key, `secret`, with the scope `maps:read` and ten calls a minute. */
export function makeFakeTurnpike(options: Partial<TurnpikeOptions> = {}): {
  turnpike: Turnpike;
  /** What it was asked, in order. */
  asked: VerifyRequest[];
} {
  const asked: VerifyRequest[] = [];
  const turnpike = createTurnpike({
    url: "http://turnpike.test",
    serviceKey: "tp_svc_x",
    retriesMax: 0,
    ...options,
    runtime: {
      fetch: async (_url, init) => {
        const request = JSON.parse(String(init.body)) as VerifyRequest;
        asked.push(request);
        return Response.json(decide(request, 10 - asked.length));
      },
      ...options.runtime,
    },
  });
  return { turnpike, asked };
}

function decide({ key, scopes }: VerifyRequest, remaining: number): VerifyReply {
  const requestId = "req_1";
  if (key !== "secret") {
    return { valid: false, code: "NOT_FOUND", requestId };
  }
  if (scopes !== undefined && scopes !== "maps:read") {
    return { valid: false, code: "INSUFFICIENT_SCOPE", requestId, missingScopes: [scopes] };
  }
  const burst = { name: "burst", kind: "rate_limit", scope: "tenant", limit: 10 } as const;
  return {
    valid: true,
    code: "VALID",
    requestId,
    tenantId: "ten_1",
    keyId: "key_1",
    planId: "free",
    environment: "live",
    scopes: ["maps:read"],
    metadata: {},
    limits: [{ ...burst, remaining, resetAt: "2126-01-01T00:00:00.000Z" }],
  };
}
