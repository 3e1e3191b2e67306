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

app.get("/health", (context) => context.json({ status: "ok" }));

// Everything below needs a key; each call counts 1.
app.use(
  "/v1/*",
  turnpikeHono<Context<TurnpikeEnv>>(turnpike, {
    address: (context) => getConnInfo(context).remote.address,
    onError: (error) => console.error(error),
  }),
);

app.all("/v1/whoami", (context) =>
  context.json({ caller: context.get("turnpike"), headers: context.req.header() }),
);

const server = serve(
  { fetch: app.fetch, port: Number(process.env["PORT"] ?? 4000), hostname: "127.0.0.1" },
  (address) => console.log(`Listening on ${JSON.stringify(address)}`),
);

process.once("SIGTERM", () => void server.close(() => void turnpike.close()));
