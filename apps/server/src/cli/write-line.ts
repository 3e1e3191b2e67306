import { once } from "node:events";

/** Writes a line, and waits when the reader is slower, so that results do not pile up in memory. */
export async function writeLine(output: NodeJS.WritableStream, text: string): Promise<void> {
  if (!output.write(`${text}\n`)) {
    await once(output, "drain");
  }
}
