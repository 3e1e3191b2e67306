import { Agent, createServer } from "node:http";
import { createProxyServer } from "http-proxy-3";
import { reportPort } from "../rig/report-port.ts";

/** `http-proxy-3` doing nothing but proxying. By default it opens a connection per call, so it gets an agent that keeps them. */
const proxy = createProxyServer({
  target: process.argv[2] ?? "",
  agent: new Agent({ keepAlive: true, maxSockets: 512 }),
});
proxy.on("error", () => undefined);

reportPort(
  createServer({ noDelay: true, keepAliveTimeout: 65_000 }, (req, res) => proxy.web(req, res)),
);
