import { serve } from "@hono/node-server";
import { getConnInfo } from "@hono/node-server/conninfo";
import { createTurnpike } from "@turnpike/sdk";
import { type TurnpikeEnv, turnpikeHono } from "@turnpike/sdk/hono";
import { type Context, Hono } from "hono";

const turnpike = createTurnpike({
  url: process.env["TURNPIKE_URL"] ?? "http://localhost:3000",
  serviceKey: process.env["TURNPIKE_SERVICE_KEY"] ?? "",
  onGivenUp: (call) => console.warn("A call could not be metered:", call.reason, call.code),
});

const app = new Hono<TurnpikeEnv>();

/** How many tiles a call asks for: it costs as many units. */
function readCount(text: unknown): number {
  return Math.min(100, Math.max(1, Math.trunc(Number(text)) || 1));
}

app.get("/health", (context) => context.json({ status: "ok" }));

const common = {
  address: (context: Context<TurnpikeEnv>) => getConnInfo(context).remote.address,
  onError: (error: unknown) => console.error(error),
};

// Needs a key; each call counts 1.
app.all("/v1/whoami", turnpikeHono(turnpike, common), (context) =>
  context.json({ caller: context.get("turnpike"), headers: context.req.header() }),
);

app.get(
  "/v1/tiles",
  turnpikeHono<Context<TurnpikeEnv>>(turnpike, {
    ...common,
    cost: (context) => readCount(context.req.query("count")),
    scopes: "tiles:read",
    onUnavailable: "allow",
  }),
  (context) => context.json({ tiles: readCount(context.req.query("count")) }),
);

const server = serve(
  { fetch: app.fetch, port: Number(process.env["PORT"] ?? 4000), hostname: "127.0.0.1" },
  (address) => console.log(`Listening on ${JSON.stringify(address)}`),
);

process.once("SIGTERM", () => void server.close(() => void turnpike.close()));
