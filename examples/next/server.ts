import { createServer } from "node:http";
import * as tiles from "./app/v1/tiles/route.ts";
import * as whoami from "./app/v1/whoami/route.ts";

type RouteHandler = (request: Request, context: object) => Response | Promise<Response>;

/** Serves the route handlers as Next does, for trying them without it. */
const HANDLERS = new Map<string, RouteHandler>([
  ["GET /v1/whoami", whoami.GET],
  ["POST /v1/whoami", whoami.POST],
  ["OPTIONS /v1/whoami", whoami.OPTIONS],
  ["GET /v1/tiles", tiles.GET],
]);

const server = createServer(async (incoming, outgoing) => {
  const headers = new Headers();
  for (let at = 0; at < incoming.rawHeaders.length; at += 2) {
    headers.append(incoming.rawHeaders[at] ?? "", incoming.rawHeaders[at + 1] ?? "");
  }
  const request = new Request(`http://localhost${incoming.url ?? "/"}`, {
    method: incoming.method ?? "GET",
    headers,
  });
  const handle = HANDLERS.get(`${request.method} ${new URL(request.url).pathname}`);
  const response = (await handle?.(request, {})) ?? new Response(null, { status: 404 });
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.end(await response.text());
});

server.listen(Number(process.env["PORT"] ?? 4000), "127.0.0.1", () =>
  console.log(`Listening on ${JSON.stringify(server.address())}`),
);
process.once("SIGTERM", () => void server.close());
