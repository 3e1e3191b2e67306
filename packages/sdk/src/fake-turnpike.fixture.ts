import { createTurnpike, type Turnpike, type TurnpikeOptions } from "./create-turnpike.ts";
import type {
  DenialCode,
  RefusedReply,
  ValidReply,
  VerifyReply,
  VerifyRequest,
} from "./verification.ts";

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

/** What the server answers to a key that may pass, with no limits. */
export const VALID_REPLY: ValidReply = {
  valid: true,
  code: "VALID",
  requestId: "req_1",
  keyId: "key_1",
  keyName: "Website",
  tenantId: "ten_1",
  planId: "free",
  planVersion: 1,
  environment: "live",
  scopes: ["maps:read"],
  metadata: {},
  expiresAt: null,
  limits: [],
};

export function refuse(code: DenialCode): RefusedReply {
  return { valid: false, code, detail: "Refused.", requestId: "req_2", offer: null };
}

function decide({ key, scopes }: VerifyRequest, remaining: number): VerifyReply {
  if (key !== "secret") {
    return refuse("INVALID_KEY");
  }
  if (scopes !== undefined && scopes !== "maps:read") {
    return { ...refuse("INSUFFICIENT_SCOPE"), missingScopes: [scopes] };
  }
  const burst = { name: "burst", kind: "rate_limit", scope: "tenant", limit: 10 } as const;
  return {
    ...VALID_REPLY,
    limits: [{ ...burst, remaining, resetAt: "2126-01-01T00:00:00.000Z" }],
  };
}
