import { createTurnpike } from "@turnpike/sdk";
import { turnpikeFastify } from "@turnpike/sdk/fastify";
import fastify from "fastify";

const turnpike = createTurnpike({
  url: process.env["TURNPIKE_URL"] ?? "http://localhost:3000",
  serviceKey: process.env["TURNPIKE_SERVICE_KEY"] ?? "",
  onGivenUp: (call) => console.warn("A call could not be metered:", call.reason, call.code),
});

const app = fastify();

// Every route needs a key, but for those that say otherwise.
await app.register(turnpikeFastify, { turnpike, onError: (error) => console.error(error) });

app.get("/health", { config: { turnpike: false } }, () => ({ status: "ok" }));

app.all("/v1/whoami", (request) => ({ caller: request.turnpike, headers: request.headers }));

app.addHook("onClose", () => turnpike.close());
process.once("SIGTERM", () => void app.close());

console.log(
  `Listening on ${await app.listen({ port: Number(process.env["PORT"] ?? 4000), host: "127.0.0.1" })}`,
);
