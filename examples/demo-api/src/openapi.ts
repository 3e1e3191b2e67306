import { WEIGHT_GRAMS_MAX } from "./tariff.ts";

const json = (name: string) => ({
  "application/json": { schema: { $ref: `#/components/schemas/${name}` } },
});
const refused = { description: "A value is missing or wrong", content: json("Error") };
const missing = { description: "There is no such thing", content: json("Error") };
const tooLarge = { description: "The body is larger than 64 kB", content: json("Error") };
const cityId = { type: "string", examples: ["berlin"] };
const weightGrams = { type: "integer", minimum: 1, maximum: WEIGHT_GRAMS_MAX };
const service = { type: "string", enum: ["standard", "express"], default: "standard" };
const id = { name: "id", in: "path", required: true, schema: { type: "string" } };

/** The description of this API that `GET /openapi.json` serves (OpenAPI 3.1). */
export const OPENAPI_DOCUMENT = {
  openapi: "3.1.0",
  info: {
    title: "Parcel API",
    version: "1.0.0",
    description:
      "Quotes, routes and parcels between cities. A small real API to put behind a gateway.",
    license: { name: "Apache-2.0", identifier: "Apache-2.0" },
  },
  paths: {
    "/v1/cities": {
      get: {
        operationId: "searchCities",
        summary: "Find cities by the start of their name",
        parameters: [{ name: "query", in: "query", schema: { type: "string", maxLength: 100 } }],
        responses: {
          "200": { description: "Cities in alphabetical order", content: json("Cities") },
          "400": refused,
        },
      },
    },
    "/v1/cities/{id}": {
      get: {
        operationId: "getCity",
        summary: "Get a city",
        parameters: [id],
        responses: { "200": { description: "The city", content: json("City") }, "404": missing },
      },
    },
    "/v1/quote": {
      get: {
        operationId: "quoteParcel",
        summary: "Price a parcel by distance and weight",
        parameters: [
          { name: "from", in: "query", required: true, schema: cityId },
          { name: "to", in: "query", required: true, schema: cityId },
          { name: "weightGrams", in: "query", required: true, schema: weightGrams },
          { name: "service", in: "query", schema: service },
        ],
        responses: { "200": { description: "The price", content: json("Quote") }, "400": refused },
      },
    },
    "/v1/routes": {
      post: {
        operationId: "planRoute",
        summary: "Order stops into a short route",
        requestBody: { required: true, content: json("RouteRequest") },
        responses: {
          "200": { description: "The route", content: json("Route") },
          "400": refused,
          "413": tooLarge,
        },
      },
    },
    "/v1/parcels": {
      post: {
        operationId: "createParcel",
        summary: "Hand in a parcel",
        requestBody: { required: true, content: json("ParcelRequest") },
        responses: {
          "201": { description: "The parcel", content: json("Parcel") },
          "400": refused,
          "413": tooLarge,
        },
      },
    },
    "/v1/parcels/{id}": {
      get: {
        operationId: "getParcel",
        summary: "Get a parcel",
        parameters: [id],
        responses: {
          "200": { description: "The parcel", content: json("Parcel") },
          "404": missing,
        },
      },
    },
    "/v1/slow": {
      get: {
        operationId: "answerSlowly",
        summary: "Answer after a while",
        parameters: [
          {
            name: "ms",
            in: "query",
            schema: { type: "integer", minimum: 0, maximum: 30_000, default: 1000 },
          },
        ],
        responses: {
          "200": { description: "How long it took", content: json("Slow") },
          "400": refused,
        },
      },
    },
    "/v1/positions": {
      get: {
        operationId: "streamPositions",
        summary: "Follow a van from one city to another, as server-sent events",
        parameters: [
          { name: "from", in: "query", required: true, schema: cityId },
          { name: "to", in: "query", required: true, schema: cityId },
          {
            name: "steps",
            in: "query",
            schema: { type: "integer", minimum: 1, maximum: 1000, default: 10 },
          },
          {
            name: "intervalMs",
            in: "query",
            schema: { type: "integer", minimum: 0, maximum: 5000, default: 200 },
          },
        ],
        responses: {
          "200": {
            description: "One event a step",
            content: { "text/event-stream": { schema: { type: "string" } } },
          },
          "400": refused,
        },
      },
    },
    "/v1/unreliable": {
      get: {
        operationId: "failSometimes",
        summary: "Fail with a given probability",
        parameters: [
          {
            name: "probability",
            in: "query",
            schema: { type: "number", minimum: 0, maximum: 1, default: 1 },
          },
        ],
        responses: {
          "200": { description: "It went well", content: json("Slow") },
          "400": refused,
          "500": { description: "It did not", content: json("Error") },
        },
      },
    },
  },
  components: {
    schemas: {
      Error: object({ error: { type: "string" } }),
      City: object({
        id: { type: "string" },
        name: { type: "string" },
        country: { type: "string", minLength: 2, maxLength: 2 },
        latitude: { type: "number" },
        longitude: { type: "number" },
      }),
      Cities: object({ cities: { type: "array", items: { $ref: "#/components/schemas/City" } } }),
      Quote: object({
        from: { type: "string" },
        to: { type: "string" },
        distanceKm: { type: "integer" },
        weightGrams,
        service: { type: "string" },
        zone: { type: "string", enum: ["local", "regional", "continental", "world"] },
        priceCents: { type: "integer" },
        currency: { type: "string" },
        deliveryDays: { type: "integer" },
      }),
      RouteRequest: object({ stops: { type: "array", items: cityId, minItems: 2, maxItems: 20 } }),
      Route: object({
        order: { type: "array", items: { type: "string" } },
        legsKm: { type: "array", items: { type: "integer" } },
        totalKm: { type: "integer" },
      }),
      ParcelRequest: {
        ...object({ from: cityId, to: cityId, weightGrams, service }),
        required: ["from", "to", "weightGrams"],
      },
      Parcel: object({
        id: { type: "string" },
        status: { type: "string", enum: ["accepted"] },
        quote: { $ref: "#/components/schemas/Quote" },
      }),
      Slow: object({ waitedMs: { type: "integer" } }),
    },
  },
} as const;

function object<P extends Record<string, unknown>>(properties: P) {
  return { type: "object", properties, required: Object.keys(properties) };
}
