import { createServer } from "node:http";
import * as whoami from "./app/v1/whoami/route.ts";

/** Serves the route handlers as Next does, for trying them without it. */
const HANDLERS = new Map<string | undefined, (request: Request, context: object) => unknown>([
  ["GET", whoami.GET],
  ["POST", whoami.POST],
  ["OPTIONS", whoami.OPTIONS],
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
  const response = await HANDLERS.get(incoming.method)?.(request, {});
  if (!(response instanceof Response)) {
    outgoing.writeHead(405).end();
    return;
  }
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.end(await response.text());
});

server.listen(Number(process.env["PORT"] ?? 4000), "127.0.0.1", () =>
  console.log(`Listening on ${JSON.stringify(server.address())}`),
);
process.once("SIGTERM", () => void server.close());
