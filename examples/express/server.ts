import { createTurnpike } from "@turnpike/sdk";
import { turnpikeExpress } from "@turnpike/sdk/express";
import express from "express";

const turnpike = createTurnpike({
  url: process.env["TURNPIKE_URL"] ?? "http://localhost:3000",
  serviceKey: process.env["TURNPIKE_SERVICE_KEY"] ?? "",
  onGivenUp: (call) => console.warn("A call could not be metered:", call.reason, call.code),
});

const app = express();

app.get("/health", (_request, response) => void response.json({ status: "ok" }));

// Everything below needs a key; each call counts 1.
app.use("/v1", turnpikeExpress(turnpike, { onError: (error) => console.error(error) }));

app.all("/v1/whoami", (request, response) => {
  response.json({ caller: request.turnpike, headers: request.headers });
});

const server = app.listen(Number(process.env["PORT"] ?? 4000), "127.0.0.1", () => {
  console.log(`Listening on ${JSON.stringify(server.address())}`);
});

process.once("SIGTERM", () => {
  server.close(() => void turnpike.close());
  server.closeIdleConnections();
});
