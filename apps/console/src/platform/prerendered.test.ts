// @vitest-environment jsdom
import { QueryClient } from "@tanstack/react-query";
import { afterEach, describe, expect, it } from "vitest";
import { pageContentQuery } from "./page-content.ts";
import { readPrerendered } from "./prerendered.ts";
import { clientConfigQuery, seedQueries } from "./seed-queries.ts";

const TERMS = {
  title: "Terms",
  updatedOn: "2026-03-04",
  html: '<h2 id="prerendered">x</h2>',
  headings: [],
  isDefault: false,
  unset: [],
};
const CONFIG = {
  brand: { name: "Acme", accent: "#f5c400" },
  urls: { console: "https://a.example", api: "https://a.example", gateway: "https://g.example" },
  version: "1.0.0",
  identity: { providers: [], passwordRules: { lengthMin: 12 }, confirmEmail: false },
  gateway: { isDemo: true },
  mail: { delivers: false },
};
const PAGE = { path: "/terms" as const, config: CONFIG, content: { terms: TERMS } };

function show(root: string, script: string): void {
  document.body.innerHTML = `${root}<script type="application/json" id="prerendered">${script}</script>`;
}

afterEach(() => {
  document.body.innerHTML = "";
});

describe("a page that the server rendered", () => {
  it("carries its data, which no heading of a text can stand in for", () => {
    show(`<div id="root" data-prerendered>${TERMS.html}</div>`, JSON.stringify(PAGE));
    expect(readPrerendered(document)).toEqual(PAGE);
  });

  it("is none without the marker, without data, or with data of another version", () => {
    show('<div id="root"></div>', JSON.stringify(PAGE));
    expect(readPrerendered(document)).toBe(undefined);
    document.body.innerHTML = '<div id="root" data-prerendered></div>';
    expect(readPrerendered(document)).toBe(undefined);
    show('<div id="root" data-prerendered></div>', '{"path":"/"}');
    expect(readPrerendered(document)).toBe(undefined);
  });

  it("fills the queries that it shows, and no others", () => {
    const client = new QueryClient();
    seedQueries(client, PAGE);
    expect(client.getQueryData(clientConfigQuery().queryKey)?.brand.name).toBe("Acme");
    expect(client.getQueryData(pageContentQuery("terms").queryKey)).toEqual(TERMS);
    expect(client.getQueryData(pageContentQuery("landing").queryKey)).toBe(undefined);
  });
});
