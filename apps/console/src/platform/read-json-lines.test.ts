import { afterEach, describe, expect, it, vi } from "vitest";
import { readJsonLines } from "./read-json-lines.ts";

afterEach(() => vi.unstubAllGlobals());

async function readAll(answer: Response): Promise<unknown[]> {
  vi.stubGlobal("fetch", async () => answer);
  const lines: unknown[] = [];
  const read = readJsonLines({
    getIdToken: async () => "token",
    url: "https://api.example.com/v1/lines",
    signal: new AbortController().signal,
  });
  for await (const line of read) {
    lines.push(line);
  }
  return lines;
}

/** Sends a text in pieces of so many bytes, cutting characters and lines. */
function inPieces(text: string, size: number): Response {
  const bytes = new TextEncoder().encode(text);
  return new Response(
    new ReadableStream({
      start(controller) {
        for (let at = 0; at < bytes.length; at += size) {
          controller.enqueue(bytes.slice(at, at + size));
        }
        controller.close();
      },
    }),
  );
}

describe("readJsonLines", () => {
  it("reads documents however the answer is cut, with and without an end of the last line", async () => {
    const text = '{"name":"Ærø ☂"}\n\n[1,2]\n"end"';
    for (const size of [1, 2, 3, 7, 1_000]) {
      expect(await readAll(inPieces(text, size))).toEqual([{ name: "Ærø ☂" }, [1, 2], "end"]);
    }
    expect(await readAll(inPieces("", 1))).toEqual([]);
  });

  it("throws the refusal of the API in words for people", async () => {
    const refusal = Response.json({ error: "The draft has faults." }, { status: 400 });
    await expect(readAll(refusal)).rejects.toThrow("The draft has faults.");
  });
});
