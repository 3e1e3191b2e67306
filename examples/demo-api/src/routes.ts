import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { type City, findCity, searchCities } from "./cities.ts";
import { OPENAPI_DOCUMENT } from "./openapi.ts";
import { planRoute, type Quote, quoteParcel, WEIGHT_GRAMS_MAX } from "./tariff.ts";

const BODY_BYTES_MAX = 64 * 1024;
/** The oldest go first: this is a demonstration, not a warehouse. */
const PARCELS_MAX = 10_000;
const STOPS_MAX = 20;

type Call = { req: IncomingMessage; res: ServerResponse; query: URLSearchParams; id: string };
type Route = { method: string; path: RegExp; answer: (call: Call) => void | Promise<void> };
type Parcel = { id: string; status: "accepted"; quote: Quote };

/** An answer other than success. */
class Refusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Makes the request handler of the API, with parcels of its own. */
export function createRoutes(): (req: IncomingMessage, res: ServerResponse) => Promise<void> {
  const parcels = new Map<string, Parcel>();
  let parcelsMade = 0;

  const routes: readonly Route[] = [
    {
      method: "GET",
      path: /^\/openapi\.json$/,
      answer: ({ res }) => reply(res, 200, OPENAPI_DOCUMENT),
    },
    {
      method: "GET",
      path: /^\/v1\/cities$/,
      answer({ res, query }) {
        const text = query.get("query") ?? "";
        if (text.length > 100) {
          throw new Refusal(400, "query must have at most 100 characters");
        }
        reply(res, 200, { cities: searchCities(text) });
      },
    },
    {
      method: "GET",
      path: /^\/v1\/cities\/([^/]+)$/,
      answer({ res, id }) {
        const city = findCity(id);
        if (city === undefined) {
          throw new Refusal(404, "There is no such city");
        }
        reply(res, 200, city);
      },
    },
    {
      method: "GET",
      path: /^\/v1\/quote$/,
      answer: ({ res, query }) => reply(res, 200, toQuote(Object.fromEntries(query))),
    },
    {
      method: "POST",
      path: /^\/v1\/routes$/,
      async answer({ req, res }) {
        const { order, legsKm } = planRoute(parseStops(await readJson(req)));
        reply(res, 200, {
          order: order.map((city) => city.id),
          legsKm: legsKm.map(Math.round),
          totalKm: Math.round(legsKm.reduce((sum, leg) => sum + leg, 0)),
        });
      },
    },
    {
      method: "POST",
      path: /^\/v1\/parcels$/,
      async answer({ req, res }) {
        const quote = toQuote(await readJson(req));
        parcelsMade += 1;
        const parcel: Parcel = { id: `parcel_${parcelsMade}`, status: "accepted", quote };
        parcels.set(parcel.id, parcel);
        const [oldest] = parcels.keys();
        if (parcels.size > PARCELS_MAX && oldest !== undefined) {
          parcels.delete(oldest);
        }
        res.setHeader("Location", `/v1/parcels/${parcel.id}`);
        reply(res, 201, parcel);
      },
    },
    {
      method: "GET",
      path: /^\/v1\/parcels\/([^/]+)$/,
      answer({ res, id }) {
        const parcel = parcels.get(id);
        if (parcel === undefined) {
          throw new Refusal(404, "There is no such parcel");
        }
        reply(res, 200, parcel);
      },
    },
    {
      method: "GET",
      path: /^\/v1\/slow$/,
      async answer({ res, query }) {
        const waitedMs = toNumber(query.get("ms") ?? "1000", { name: "ms", min: 0, max: 30_000 });
        await delay(waitedMs);
        reply(res, 200, { waitedMs });
      },
    },
    { method: "GET", path: /^\/v1\/positions$/, answer: streamPositions },
    {
      method: "GET",
      path: /^\/v1\/unreliable$/,
      answer({ res, query }) {
        const text = query.get("probability") ?? "1";
        const probability = Number(text);
        if (text === "" || !(probability >= 0 && probability <= 1)) {
          throw new Refusal(400, "probability must be a number from 0 to 1");
        }
        if (Math.random() < probability) {
          throw new Refusal(500, "It failed, as asked");
        }
        reply(res, 200, { waitedMs: 0 });
      },
    },
  ];

  return async (req, res) => {
    try {
      await answerCall({ routes, req, res });
    } catch (error) {
      if (!(error instanceof Refusal)) {
        throw error;
      }
      reply(res, error.status, { error: error.message });
    }
  };
}

async function answerCall(input: {
  routes: readonly Route[];
  req: IncomingMessage;
  res: ServerResponse;
}): Promise<void> {
  const { routes, req, res } = input;
  const [path = "", query = ""] = (req.url ?? "").split("?", 2);
  const method = req.method === "HEAD" ? "GET" : req.method;
  const matching = routes.filter((route) => route.path.test(path));
  const route = matching.find((candidate) => candidate.method === method);
  if (route === undefined) {
    if (matching.length > 0) {
      res.setHeader("Allow", matching.map((candidate) => candidate.method).join(", "));
      throw new Refusal(405, "This method is not served here");
    }
    throw new Refusal(404, "There is nothing here; see /openapi.json");
  }
  await route.answer({
    req,
    res,
    query: new URLSearchParams(query),
    id: route.path.exec(path)?.[1] ?? "",
  });
}

async function streamPositions({ req, res, query }: Call): Promise<void> {
  const from = toCity(query.get("from"), "from");
  const to = toCity(query.get("to"), "to");
  const steps = toNumber(query.get("steps") ?? "10", { name: "steps", min: 1, max: 1000 });
  const intervalMs = toNumber(query.get("intervalMs") ?? "200", {
    name: "intervalMs",
    min: 0,
    max: 5000,
  });
  res.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-store" });
  for (let step = 1; step <= steps && !req.socket.destroyed; step++) {
    const share = step / steps;
    const position = {
      step,
      latitude: between(from.latitude, to.latitude, share),
      longitude: between(from.longitude, to.longitude, share),
    };
    res.write(`id: ${step}\ndata: ${JSON.stringify(position)}\n\n`);
    await delay(intervalMs);
  }
  res.end();
}

function between(start: number, end: number, share: number): number {
  return Math.round((start + (end - start) * share) * 10_000) / 10_000;
}

function toQuote(input: Record<string, unknown>): Quote {
  const from = toCity(input["from"], "from");
  const to = toCity(input["to"], "to");
  const weightGrams = toNumber(input["weightGrams"], {
    name: "weightGrams",
    min: 1,
    max: WEIGHT_GRAMS_MAX,
  });
  const service = input["service"] ?? "standard";
  if (service !== "standard" && service !== "express") {
    throw new Refusal(400, "service must be standard or express");
  }
  return quoteParcel({ from, to, weightGrams, service });
}

function parseStops(input: Record<string, unknown>): City[] {
  const { stops } = input;
  if (!Array.isArray(stops) || stops.length < 2 || stops.length > STOPS_MAX) {
    throw new Refusal(400, `stops must be a list of 2 to ${STOPS_MAX} city ids`);
  }
  return stops.map((stop, i) => toCity(stop, `stops[${i}]`));
}

function toCity(value: unknown, name: string): City {
  const city = typeof value === "string" ? findCity(value) : undefined;
  if (city === undefined) {
    throw new Refusal(400, `${name} must be the id of a city, see /v1/cities`);
  }
  return city;
}

function toNumber(value: unknown, bounds: { name: string; min: number; max: number }): number {
  const { name, min, max } = bounds;
  const number = typeof value === "string" && /^\d{1,9}$/.test(value) ? Number(value) : value;
  if (typeof number !== "number" || !Number.isInteger(number) || number < min || number > max) {
    throw new Refusal(400, `${name} must be a whole number from ${min} to ${max}`);
  }
  return number;
}

async function readJson(req: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of req) {
    const piece: Buffer = chunk;
    bytes += piece.length;
    if (bytes > BODY_BYTES_MAX) {
      throw new Refusal(413, `The body must have at most ${BODY_BYTES_MAX} bytes`);
    }
    chunks.push(piece);
  }
  let value: unknown;
  try {
    value = JSON.parse(Buffer.concat(chunks).toString());
  } catch (cause) {
    throw new Refusal(400, `The body must be JSON: ${String(cause)}`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Refusal(400, "The body must be a JSON object");
  }
  return { ...value };
}

function reply(res: ServerResponse, status: number, body: unknown): void {
  const bytes = Buffer.from(JSON.stringify(body));
  res.writeHead(status, { "Content-Type": "application/json", "Content-Length": bytes.length });
  res.end(bytes);
}
