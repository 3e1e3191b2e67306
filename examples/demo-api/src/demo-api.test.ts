import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CITIES, findCity } from "./cities.ts";
import { OPENAPI_DOCUMENT } from "./openapi.ts";
import { type DemoApi, startDemoApi } from "./start-demo-api.ts";
import { distanceKm, planRoute, quoteParcel } from "./tariff.ts";

let api: DemoApi;
beforeAll(async () => {
  api = await startDemoApi({ port: 0 });
});
afterAll(() => api.close());

const call = (path: string, init?: RequestInit) => fetch(api.url + path, init);
const post = (path: string, body: unknown) =>
  call(path, { method: "POST", body: JSON.stringify(body) });

/** For each documented operation and status: a call that leads to it. `{id}` is a parcel or city that exists. */
const CALLS: Record<string, Record<string, () => Promise<Response>>> = {
  searchCities: {
    "200": () => call("/v1/cities?query=BER"),
    "400": () => call(`/v1/cities?query=${"a".repeat(101)}`),
  },
  getCity: { "200": () => call("/v1/cities/tokyo"), "404": () => call("/v1/cities/atlantis") },
  quoteParcel: {
    "200": () => call("/v1/quote?from=berlin&to=paris&weightGrams=1200"),
    "400": () => call("/v1/quote?from=berlin&to=paris&weightGrams=1.5"),
  },
  planRoute: {
    "200": () => post("/v1/routes", { stops: ["berlin", "lisbon", "paris"] }),
    "400": () => post("/v1/routes", { stops: ["berlin"] }),
    "413": () => post("/v1/routes", { stops: ["a".repeat(70_000)] }),
  },
  createParcel: {
    "201": () =>
      post("/v1/parcels", { from: "oslo", to: "rome", weightGrams: 500, service: "express" }),
    "400": () => call("/v1/parcels", { method: "POST", body: "no json" }),
    "413": () => post("/v1/parcels", { from: "a".repeat(70_000) }),
  },
  getParcel: {
    "200": async () => {
      const created = await post("/v1/parcels", { from: "oslo", to: "rome", weightGrams: 500 });
      return call(created.headers.get("location") ?? "");
    },
    "404": () => call("/v1/parcels/none"),
  },
  answerSlowly: { "200": () => call("/v1/slow?ms=5"), "400": () => call("/v1/slow?ms=30001") },
  streamPositions: {
    "200": () => call("/v1/positions?from=berlin&to=paris&steps=3&intervalMs=0"),
    "400": () => call("/v1/positions?from=berlin"),
  },
  failSometimes: {
    "200": () => call("/v1/unreliable?probability=0"),
    "400": () => call("/v1/unreliable?probability=2"),
    "500": () => call("/v1/unreliable"),
  },
};

type Schema = {
  type?: string;
  $ref?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
};

/** The part of JSON Schema the document uses. */
function assertMatches(value: unknown, schema: Schema, at: string): void {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.slice("#/components/schemas/".length);
    const schemas: Record<string, Schema> = OPENAPI_DOCUMENT.components.schemas as never;
    expect(schemas, at).toHaveProperty(name);
    assertMatches(value, schemas[name] ?? {}, at);
    return;
  }
  if (schema.type === "array") {
    expect(Array.isArray(value), at).toBe(true);
    for (const [i, item] of (value as unknown[]).entries()) {
      assertMatches(item, schema.items ?? {}, `${at}[${i}]`);
    }
  } else if (schema.type === "integer") {
    expect(Number.isInteger(value), at).toBe(true);
  } else {
    expect(typeof value, at).toBe(schema.type);
  }
  const fields = schema.properties ?? {};
  for (const name of schema.required ?? []) {
    assertMatches((value as Record<string, unknown>)[name], fields[name] ?? {}, `${at}.${name}`);
  }
  if (schema.properties !== undefined) {
    expect(
      Object.keys(value as object).filter((name) => !(name in fields)),
      at,
    ).toEqual([]);
  }
}

const documented = Object.values(OPENAPI_DOCUMENT.paths).flatMap((operations) =>
  Object.values(operations).flatMap((operation) =>
    Object.entries(operation.responses).map(
      ([status, response]): [string, string, { content: Record<string, { schema: Schema }> }] => [
        operation.operationId,
        status,
        response as never,
      ],
    ),
  ),
);

describe("the document", () => {
  it("is served as it is", async () => {
    expect(await (await call("/openapi.json")).json()).toEqual(OPENAPI_DOCUMENT);
  });

  it.each(documented)("tells the truth about %s %s", async (operationId, status, { content }) => {
    const response = await CALLS[operationId]?.[status]?.();
    expect(response?.status).toBe(Number(status));
    const [type, media] = Object.entries(content)[0] ?? [];
    expect(response?.headers.get("content-type")).toBe(type);
    const body = type === "application/json" ? await response?.json() : await response?.text();
    assertMatches(body, media?.schema ?? {}, operationId);
  });
});

describe("the rules", () => {
  const city = (id: string) => findCity(id)!;

  it("measures along the great circle", () => {
    expect(Math.round(distanceKm(city("berlin"), city("paris")))).toBe(878);
    expect(distanceKm(city("rome"), city("rome"))).toBe(0);
    expect(distanceKm(city("sydney"), city("london"))).toBeCloseTo(16_990, -2);
  });

  it("prices by zone and begun kilogram, express at twice", () => {
    const quote = {
      from: city("berlin"),
      to: city("paris"),
      weightGrams: 1200,
      service: "standard" as const,
    };
    expect(quoteParcel(quote)).toMatchObject({
      zone: "continental",
      priceCents: 1170,
      deliveryDays: 3,
    });
    expect(quoteParcel({ ...quote, service: "express" })).toMatchObject({
      priceCents: 2340,
      deliveryDays: 2,
    });
    expect(quoteParcel({ ...quote, weightGrams: 1000 }).priceCents).toBe(1030);
    expect(quoteParcel({ ...quote, to: city("berlin") }).zone).toBe("local");
    expect(quoteParcel({ ...quote, to: city("tokyo") }).zone).toBe("world");
  });

  it("visits every stop once, nearest first", () => {
    const { order, legsKm } = planRoute(["berlin", "lisbon", "paris", "hamburg"].map(city));
    expect(order.map(({ id }) => id)).toEqual(["berlin", "hamburg", "paris", "lisbon"]);
    expect(legsKm).toHaveLength(3);
  });

  it("has every city once, in order of name, on the globe", () => {
    expect(CITIES.map(({ name }) => name)).toEqual(
      [...new Set(CITIES.map(({ name }) => name))].sort(),
    );
    expect(
      CITIES.every(
        ({ latitude, longitude }) => Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180,
      ),
    ).toBe(true);
  });
});

describe("the edges", () => {
  it.each([
    ["/nothing", "GET", 404],
    ["/v1/quote", "POST", 405],
    ["/v1/cities/__proto__", "GET", 404],
    ["/v1/parcels/constructor", "GET", 404],
  ])("answers %s %s with %i", async (path, method, status) => {
    const response = await call(path, { method });
    expect(response.status).toBe(status);
    expect(await response.json()).toHaveProperty("error");
  });

  it("hands events over one by one", async () => {
    const response = await call("/v1/positions?from=berlin&to=paris&steps=2&intervalMs=0");
    expect(await response.text()).toBe(
      'id: 1\ndata: {"step":1,"latitude":50.69,"longitude":7.88}\n\nid: 2\ndata: {"step":2,"latitude":48.86,"longitude":2.35}\n\n',
    );
  });
});
