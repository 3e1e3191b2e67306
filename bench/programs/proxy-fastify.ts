import fastifyHttpProxy from "@fastify/http-proxy";
import fastify from "fastify";

/** `@fastify/http-proxy` doing nothing but proxying, with its defaults: undici and kept connections. */
const upstream = process.argv[2] ?? "";
const app = fastify({ logger: false, keepAliveTimeout: 65_000 });
await app.register(fastifyHttpProxy, { upstream });
await app.listen({ port: 0, host: "127.0.0.1" });
const address = app.server.address();
process.send?.(typeof address === "object" ? address?.port : undefined);
process.once("disconnect", () => process.exit(0));
