import type { OutgoingHttpHeaders } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { RawCall } from "./raw-route.ts";

/**
 * Sends lines as they are made, at the pace of who reads. What the first one throws is answered as an error, because the head is not
 * sent yet; after that the connection is broken off, so that no reader takes a part for the whole.
 */
export async function sendLines(
  { res, context }: Pick<RawCall, "res" | "context">,
  { lines, headers }: { lines: AsyncGenerator<string>; headers: OutgoingHttpHeaders },
): Promise<void> {
  const first = await lines.next();
  res.writeHead(200, headers);
  const rest = async function* () {
    yield first.done === true ? "" : first.value;
    yield* lines;
  };
  await pipeline(Readable.from(rest()), res).catch((error: unknown) => {
    res.destroy();
    context.logger.debug({ err: error }, "a file was broken off");
  });
}
