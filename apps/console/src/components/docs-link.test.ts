import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const SOURCE = join(import.meta.dirname, "..");
const DOCS = join(import.meta.dirname, "../../../../docs");

/** Every address of a page of the documentation in the source, with the heading that it names. */
function listAddresses(): string[] {
  const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).filter(
    (file) => /\.tsx?$/.test(file) && !/\.test\./.test(file),
  );
  const found = files.flatMap((file) => {
    const text = readFileSync(join(SOURCE, file), "utf8");
    const whole = [...text.matchAll(/["`]\/docs\/([\w#/-]+)["`]/g)];
    const pages = [...text.matchAll(/<DocsLink page="([^"]+)"/g)];
    return [...whole, ...pages].map(([, address = ""]) => address);
  });
  return [...new Set(found)].toSorted();
}

/** A heading as the server makes an anchor of it. */
function toAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, "")
    .trim()
    .replaceAll(/\s+/g, "-");
}

describe("links to the documentation", () => {
  const addresses = listAddresses();

  it("are found", () => {
    expect(addresses).toEqual(
      expect.arrayContaining(["alerts", "analytics", "events", "keys", "webhooks"]),
    );
  });

  it.each(addresses.filter((address) => address !== "errors"))("lead somewhere: %s", (address) => {
    const [page = "", anchor] = address.split("#");
    const text = readFileSync(join(DOCS, `${page}.md`), "utf8");
    const anchors = [...text.matchAll(/^#+ +(.+)$/gm)].map(([, heading = ""]) => toAnchor(heading));
    if (anchor !== undefined) {
      expect(anchors).toContain(anchor);
    }
  });
});
