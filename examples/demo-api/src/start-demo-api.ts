import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createRoutes } from "./routes.ts";

export type DemoApi = {
  port: number;
  url: string;
  close(): Promise<void>;
};

/**
 * Starts the demo API.
 *
 * @param options.port - 0 takes any free port.
 * @throws The system's error when the port is taken.
 */
export async function startDemoApi(options: { port: number; host?: string }): Promise<DemoApi> {
  const answer = createRoutes();
  const server = createServer((req, res) => {
    // What a route does not refuse itself is a defect, or a client that left in the middle of its body.
    answer(req, res).catch(() => res.destroy());
  });
  const host = options.host ?? "127.0.0.1";
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port: options.port, host }, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://${host.includes(":") ? `[${host}]` : host}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
