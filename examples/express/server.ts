import { createTurnpike } from "@turnpike/sdk";
import { turnpikeExpress } from "@turnpike/sdk/express";
import express, { type Request } from "express";

const turnpike = createTurnpike({
  url: process.env["TURNPIKE_URL"] ?? "http://localhost:3000",
  serviceKey: process.env["TURNPIKE_SERVICE_KEY"] ?? "",
  onGivenUp: (call) => console.warn("A call could not be metered:", call.reason, call.code),
});

const app = express();

/** How many tiles a call asks for: it costs as many units. */
function readCount(text: unknown): number {
  return Math.min(100, Math.max(1, Math.trunc(Number(text)) || 1));
}

app.get("/health", (_request, response) => void response.json({ status: "ok" }));

const onError = (error: unknown) => console.error(error);

// Needs a key; each call counts 1.
app.all("/v1/whoami", turnpikeExpress(turnpike, { onError }), (request, response) => {
  response.json({ caller: request.turnpike, headers: request.headers });
});

app.get(
  "/v1/tiles",
  turnpikeExpress<Request>(turnpike, {
    cost: (request) => readCount(request.query["count"]),
    scopes: "tiles:read",
    onUnavailable: "allow",
    onError,
  }),
  (request, response) => void response.json({ tiles: readCount(request.query["count"]) }),
);

const server = app.listen(Number(process.env["PORT"] ?? 4000), "127.0.0.1", () => {
  console.log(`Listening on ${JSON.stringify(server.address())}`);
});

process.once("SIGTERM", () => {
  server.close(() => void turnpike.close());
  server.closeIdleConnections();
});
