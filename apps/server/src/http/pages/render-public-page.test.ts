import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPageRenderer } from "./render-public-page.ts";

let folder: string;
let count = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "turnpike-render-"));
});
afterAll(() => rm(folder, { recursive: true }));

const PAGE = { path: "/", config: {}, content: {} } as const;
const PLAIN = { html: undefined, title: "Acme", description: "" };

/** Makes a renderer of a built module, and what it logged. */
async function makeRenderer(
  source: string | undefined,
  languages: ReadonlyMap<string, string> = new Map(),
) {
  count += 1;
  const file = join(folder, `entry-${String(count)}.mjs`);
  if (source !== undefined) {
    await writeFile(file, source);
  }
  const logged: string[] = [];
  const log = (_: object, message?: string) => void logged.push(message ?? "");
  const logger = { warn: log, error: log };
  return { render: createPageRenderer({ file, languages, brandName: "Acme", logger }), logged };
}

const answering = (html: string) =>
  `export const renderPublicPage = () => Promise.resolve(${JSON.stringify({ html, title: "T", description: "D" })});`;

describe("rendering by the built console", () => {
  it("gives what the module makes of the page", async () => {
    const { render, logged } = await makeRenderer(
      "export const renderPublicPage = (page) => Promise.resolve({ html: page.path, title: 'T', description: 'D' });",
    );
    expect(await render(PAGE, "en")).toEqual({ html: "/", title: "T", description: "D" });
    expect(logged).toEqual([]);
  });

  it("renders in a language by a module that has found its strings, and in English in any other", async () => {
    const script = join(folder, "language-de.mjs");
    await writeFile(script, 'globalThis.turnpikeLanguage = { language: "de" };');
    const { render } = await makeRenderer(
      "const found = globalThis.turnpikeLanguage?.language ?? 'en'; export const renderPublicPage = () => Promise.resolve({ html: found, title: 'T', description: 'D' });",
      new Map([["de", script]]),
    );
    const htmlOf = async (language: string) => (await render(PAGE, language)).html;
    expect([await htmlOf("de"), await htmlOf("en"), await htmlOf("fr")]).toEqual([
      "de",
      "en",
      "en",
    ]);
  });

  it("takes words in quotes for words", async () => {
    const html = '<a aria-label="x onclick= y" href="/">a style=b</a>';
    const { render } = await makeRenderer(answering(html));
    expect((await render(PAGE, "en")).html).toBe(html);
  });

  it.each([
    ["throws", "export const renderPublicPage = () => Promise.reject(new Error('no'));"],
    ["never ends", "export const renderPublicPage = () => new Promise(() => undefined);"],
    ["answers nothing", "export const renderPublicPage = () => Promise.resolve({});"],
    ["exports nothing", "export {};"],
    ["cannot be loaded", "export const = ;"],
    ["writes a style attribute", answering('<p style="color:red">x</p>')],
    ["writes a handler", answering('<p onclick="x()">x</p>')],
  ])("leaves the page to the browser when the module %s, and logs it", async (_, source) => {
    const { render, logged } = await makeRenderer(source);
    expect(await render(PAGE, "en")).toEqual(PLAIN);
    expect(logged).toEqual(["A public page could not be rendered"]);
  });

  it("leaves the page to the browser when there is no module", async () => {
    const { render, logged } = await makeRenderer(undefined);
    expect(await render(PAGE, "en")).toEqual(PLAIN);
    expect(logged).toEqual(["Public pages are rendered by the browser alone"]);
  });
});
