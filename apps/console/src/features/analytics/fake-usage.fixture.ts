import { usageReport } from "@turnpike/contract/usage";
import { makeUsageReport, makeUsageRow } from "#platform/usage-report.fixture.ts";

export const KEY_ID = "key_0199f3b0c1d27a4e8f60112233445566";

const COUNTS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  status: { "200": 9126, "404": 213, "429": 8 },
  route: { "/v1/quote": 9000, "": 347 },
  key: { [KEY_ID]: 9347 },
};

/** Answers a usage question as the server would, for one small tenant with 9,347 requests. */
export function answerUsage(request: Request): object {
  const search = new URL(request.url).searchParams;
  const dimension = search.get("dimensions") ?? "";
  const isTimed = search.has("grain");
  const values = {
    requests: 9347,
    denied: 8,
    errors: 0,
    error_rate: 0,
    latency_p50: 5,
    latency_p95: 20,
    latency_p99: 40,
    "meter:requests": "9339",
    "meter:tokens": "1250.5",
    "meter:users": "12",
  };
  const hour = isTimed ? 1 : null;
  const part = dimension === "event:model" ? ["small", "large", ""] : [];
  const rows =
    part.length > 0
      ? part.map((model, place) =>
          makeUsageRow(
            null,
            { "event:model": model },
            {
              "meter:tokens": String(1000 / 2 ** place),
              "meter:users": String(12 - place),
            },
          ),
        )
      : dimension === "outcome" || dimension === "outcome,status_class"
        ? [
            makeUsageRow(hour, { outcome: "VALID" }, { ...values, requests: 9339, denied: 0 }),
            makeUsageRow(hour, { outcome: "RATE_LIMITED" }, { ...values, requests: 8, denied: 8 }),
          ]
        : dimension === ""
          ? [makeUsageRow(hour, {}, values)]
          : Object.entries(COUNTS[dimension] ?? {}).map(([value, requests]) =>
              makeUsageRow(hour, { [dimension]: value }, { ...values, requests }),
            );
  return usageReport.parse(
    makeUsageReport({ ...(isTimed ? {} : { grain: null }), rows, totals: values }),
  );
}

/** The same for a tenant that has had no calls yet. */
export function answerNoUsage(request: Request): object {
  const isTimed = new URL(request.url).searchParams.has("grain");
  const totals = {
    requests: 0,
    denied: 0,
    error_rate: null,
    latency_p95: null,
    "meter:requests": "0",
  };
  return usageReport.parse(makeUsageReport({ ...(isTimed ? {} : { grain: null }), totals }));
}

export const KEYS = {
  items: [
    {
      keyId: KEY_ID,
      tenantId: "ten_0199f3b0c1d27a4e8f60112233445566",
      name: "Production",
      environment: "live",
      start: "tp_live_ab",
      lastFour: "x7Qz",
      scopes: [],
      metadata: {},
      state: "active",
      expiresAt: null,
      revokedAt: null,
      rolledToKeyId: null,
      createdBy: "user:usr_0199f3b0c1d27a4e8f60112233445566",
      createdAt: "2026-11-01T00:00:00.000Z",
      updatedAt: "2026-11-01T00:00:00.000Z",
    },
  ],
  nextCursor: null,
};

export const METERS = {
  items: [{ meterId: "requests", name: "Requests", unit: "request", aggregation: "count" }],
};

const DIMENSIONS = [
  { name: "model", pointer: "/model" },
  { name: "region", pointer: "/region" },
];

/** The same, plus two meters of events. */
export const METERS_OF_EVENTS = {
  items: [
    ...METERS.items,
    {
      meterId: "tokens",
      name: "Tokens",
      unit: "token",
      aggregation: "sum",
      eventType: "llm.call",
      valuePointer: "/tokens",
      dimensions: DIMENSIONS,
    },
    {
      meterId: "users",
      name: "Users",
      unit: "user",
      aggregation: "unique_count",
      eventType: "llm.call",
      valuePointer: "/user",
      dimensions: DIMENSIONS,
    },
  ],
};
