import type { ServerResponse } from "node:http";
import { createHttpDate } from "./http-date.ts";
import { BASE_HEADERS } from "./raw-route.ts";

const HOT_HEADERS = [
  ...BASE_HEADERS,
  "content-type",
  "application/json",
  "cache-control",
  "no-store",
] as const;

type HotAnswer = {
  status: number;
  requestId: string;
  text: string;
  /** True when the text is known to be ASCII, so that its bytes need not be counted. */
  isAscii?: true;
  /** Further headers, names and values in turn. */
  extra?: readonly string[];
};

/** The constant start of the head of every answer that bypasses Node. */
const HEAD = HOT_HEADERS.reduce(
  (head, text, at) => head + text + (at % 2 === 0 ? ": " : "\r\n"),
  "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\n",
);

/** True for an answer whose head is {@link HEAD} on a connection that stays open. */
function isPlain(res: ServerResponse, { status, extra }: HotAnswer): boolean {
  const hasOwnHead = res.headersSent || res.getHeaderNames().length > 0;
  return status === 200 && extra === undefined && res.shouldKeepAlive && !hasOwnHead;
}

const httpDate = createHttpDate(Date.now);

/**
 * Answers JSON that was written before, with every header of an answer, in one piece: headers that are set one by one cost a
 * hot route a tenth of its time.
 *
 * Nearly every answer is written to its connection as it is, and marked finished for Node: checking,
 * joining and following what never changes costs more than a tenth of a call. Node answers all others: whose turn has not come
 * on their connection, which are the last on it, and those with another status or further headers.
 */
export function sendHotJson(res: ServerResponse, answer: HotAnswer): void {
  const { text, requestId, extra } = answer;
  const bytes = answer.isAscii === true ? text.length : Buffer.byteLength(text);
  // Plain ASCII, as nearly always: Node joins it with the head without scanning it again.
  const encoding = bytes === text.length ? "latin1" : "utf8";
  const { socket } = res;
  if (socket !== null && isPlain(res, answer) && socket.writable) {
    socket.write(
      `${HEAD}x-request-id: ${requestId}\r\nDate: ${httpDate()}\r\ncontent-length: ${String(bytes)}\r\n\r\n${text}`,
      encoding,
    );
    // Node's own listener frees the connection for the next answer, as after an answer of its own.
    res.emit("finish");
    return;
  }
  const headers = [...HOT_HEADERS, "x-request-id", requestId, "content-length", String(bytes)];
  if (extra !== undefined) {
    headers.push(...extra);
  }
  res.writeHead(answer.status, headers);
  res.end(text, encoding);
}
