import { createServer } from "node:net";
import { reportPort } from "../rig/report-port.ts";

/**
 * Answers every packet with the same bytes and looks at none: the fastest HTTP "server" there can be on Node. What the
 * load generator reaches against it is the generator's own ceiling.
 */
const body = JSON.stringify({ valid: true, padding: "x".repeat(300) });
const answer = Buffer.from(
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${String(body.length)}\r\n\r\n${body}`,
);

reportPort(
  createServer({ noDelay: true }, (socket) => {
    socket.on("data", () => socket.write(answer));
    socket.on("error", () => socket.destroy());
  }),
);
