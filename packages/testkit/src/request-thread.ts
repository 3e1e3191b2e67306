import { request } from "node:http";
import { parentPort } from "node:worker_threads";
import type { AskedRequest } from "./send-elsewhere.ts";

// Sends requests for a test from a thread of its own, so that sending costs the tested thread nothing.
parentPort?.on("message", ({ id, url, method, headers, body }: AskedRequest) => {
  const answer = (reply: { status: number; text: string } | { error: string }) =>
    parentPort?.postMessage({ id, ...reply });
  const req = request(url, { method, headers: { ...headers, "content-length": body.length } });
  req.on("response", (res) => {
    let text = "";
    res.setEncoding("utf8");
    res.on("data", (piece: string) => {
      text = text.length < 1_000 ? text + piece : text;
    });
    res.on("end", () => answer({ status: res.statusCode ?? 0, text }));
    res.on("error", (error) => answer({ error: error.message }));
  });
  req.on("error", (error) => answer({ error: error.message }));
  req.end(body);
});
