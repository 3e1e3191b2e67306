import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request as an upstream saw it. */
export type RecordedRequest = {
  method: string;
  target: string;
  rawHeaders: string[];
  /** First value by lower-case name. */
  header(name: string): string | undefined;
  body: Buffer;
};

export type RecordingUpstream = {
  port: number;
  url: string;
  server: Server;
  requests: RecordedRequest[];
  close(): Promise<void>;
};

/**
 * Starts an HTTP server that keeps what it was asked and answers 200 with `answer`, by default `ok`.
 *
 * @param options.onRequest - Takes over a request; it is then not recorded. Return `false` to leave it.
 */
export async function startRecordingUpstream(
  options: {
    onRequest?: (req: IncomingMessage, res: ServerResponse) => boolean;
    answer?: string;
    keepAliveTimeoutMs?: number;
    /** The largest head that it reads. Left out: Node's 16 kB. */
    headBytesMax?: number;
  } = {},
): Promise<RecordingUpstream> {
  const requests: RecordedRequest[] = [];
  const server = createServer(
    {
      keepAliveTimeout: options.keepAliveTimeoutMs ?? 5000,
      maxHeaderSize: options.headBytesMax,
    },
    (req, res) => {
      if (options.onRequest?.(req, res) === true) {
        return;
      }
      const chunks: Buffer[] = [];
      req.on("data", (chunk: Buffer) => chunks.push(chunk));
      req.on("end", () => {
        requests.push({
          method: req.method ?? "",
          target: req.url ?? "",
          rawHeaders: req.rawHeaders,
          header: (name) => {
            const at = req.rawHeaders.findIndex(
              (text, i) => i % 2 === 0 && text.toLowerCase() === name,
            );
            return at < 0 ? undefined : req.rawHeaders[at + 1];
          },
          body: Buffer.concat(chunks),
        });
        res.end(options.answer ?? "ok");
      });
    },
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    server,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
