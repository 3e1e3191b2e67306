import { Agent, createServer } from "node:http";
import { createProxyServer } from "httpxy";
import { reportPort } from "../rig/report-port.ts";

/** `httpxy` doing nothing but proxying, with an agent that keeps its connections. */
const proxy = createProxyServer({
  target: process.argv[2] ?? "",
  agent: new Agent({ keepAlive: true, maxSockets: 512 }),
});
proxy.on("error", () => undefined);

reportPort(
  createServer({ noDelay: true, keepAliveTimeout: 65_000 }, (req, res) => {
    proxy.web(req, res).catch(() => res.destroy());
  }),
);
