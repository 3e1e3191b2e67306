import { createTurnpike } from "@turnpike/sdk";
import { turnpikeFastify } from "@turnpike/sdk/fastify";
import fastify from "fastify";

const turnpike = createTurnpike({
  url: process.env["TURNPIKE_URL"] ?? "http://localhost:3000",
  serviceKey: process.env["TURNPIKE_SERVICE_KEY"] ?? "",
  onGivenUp: (call) => console.warn("A call could not be metered:", call.reason, call.code),
});

const app = fastify();

/** How many tiles a call asks for: it costs as many units. */
function readCount(text: unknown): number {
  return Math.min(100, Math.max(1, Math.trunc(Number(text)) || 1));
}

// Every route needs a key, but for those that say otherwise.
await app.register(turnpikeFastify, { turnpike, onError: (error) => console.error(error) });

app.get("/health", { config: { turnpike: false } }, () => ({ status: "ok" }));

app.all("/v1/whoami", (request) => ({ caller: request.turnpike, headers: request.headers }));

app.get<{ Querystring: { count?: string } }>(
  "/v1/tiles",
  {
    config: {
      turnpike: {
        cost: ({ query }) => readCount((query as { count?: string }).count),
        scopes: "tiles:read",
        onUnavailable: "allow",
      },
    },
  },
  (request) => ({ tiles: readCount(request.query.count) }),
);

app.addHook("onClose", () => turnpike.close());
process.once("SIGTERM", () => void app.close());

console.log(
  `Listening on ${await app.listen({ port: Number(process.env["PORT"] ?? 4000), host: "127.0.0.1" })}`,
);
