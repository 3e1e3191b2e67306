import { inflateSync } from "node:zlib";

export type PdfObject = { id: number; head: string; stream: Buffer | undefined };

/** Reads the objects of a PDF that pdfkit wrote: it has no object streams. */
export function readPdfObjects(pdf: Uint8Array): PdfObject[] {
  const bytes = Buffer.from(pdf);
  const text = bytes.toString("latin1");
  return [...text.matchAll(/(?:^|\n)(\d+) 0 obj\n/g)].map((match) => {
    const start = match.index + match[0].length;
    const body = text.slice(start, text.indexOf("\nendobj", start));
    const at = body.indexOf("\nstream\n");
    const head = at === -1 ? body : body.slice(0, at);
    const length = Number(/\/Length (\d+)/.exec(head)?.[1]);
    const from = start + at + "\nstream\n".length;
    const raw = bytes.subarray(from, from + length);
    const stream = head.includes("/FlateDecode") ? inflateSync(raw) : raw;
    return { id: Number(match[1]), head, stream: at === -1 ? undefined : stream };
  });
}

/** The object that an entry of another one refers to, such as `/Metadata 12 0 R`. */
export function follow(objects: readonly PdfObject[], from: PdfObject, entry: string): PdfObject {
  const id = Number(new RegExp(`/${entry} \\[?\\s*(\\d+) 0 R`).exec(from.head)?.[1]);
  const found = objects.find((each) => each.id === id);
  if (found === undefined) {
    throw new Error(`Nothing at ${entry} in ${from.head}`);
  }
  return found;
}
