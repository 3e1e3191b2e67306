import { globSync } from "node:fs";
import { XMLParser } from "fast-xml-parser";
import { describe, expect, it } from "vitest";
import { type DrawTask, drawDocument } from "./draw-document.ts";
import { follow, readPdfObjects } from "./pdf-objects.fixture.ts";
import { groupDigits } from "./print-text.ts";
import type { PrintedDocument } from "./printed-document.ts";

const LINE: PrintedDocument["lines"][number] = {
  description: "Pro: Requests",
  quantity: "1,500",
  unitPrice: "",
  tax: "AE",
  amount: "5.00",
  notes: ["1 November 2026 – 30 November 2026", "1,000 × 0.00", "500 × 0.01"],
};

function taskOf(lines: number, { xml = null, ...more }: Partial<PrintedDocument & DrawTask> = {}) {
  const document: PrintedDocument = {
    language: "en",
    title: "Invoice",
    number: "INV-2026-000001",
    issuedAt: "2026-12-01T00:01:00.000Z",
    facts: [{ name: "Number", value: "INV-2026-000001" }],
    warning: null,
    seller: { name: "Example <Ltd> & Sons", lines: ["1 High Street"] },
    customer: { name: "Ελλάς · Пример · Łódź", lines: [] },
    columns: { quantity: "Quantity", unitPrice: null, tax: "Tax", amount: "Amount (EUR)" },
    lines: Array.from({ length: lines }, () => LINE),
    sums: [{ name: "Net", amount: "5.00", isBold: true }],
    labels: {
      billedTo: "Billed to",
      charges: "Description",
      howToPay: "How to pay",
      page: "Page {0} of {1}",
      substitutes: "“?” replaces letters that the fonts of this document lack.",
    },
    notes: ["AE: Reverse charge."],
    payment: ["Please name the number."],
    ...more,
  };
  return { document, xml, logo: null, font: null };
}

function countPages(pdf: Uint8Array): number {
  return readPdfObjects(pdf).filter(({ head }) => /\/Type \/Page\b(?!s)/.test(head)).length;
}

/** What a reader would copy: letters by the tables that come with each font. */
function listLetters(pdf: Uint8Array): Set<string> {
  const tables = readPdfObjects(pdf).flatMap(({ stream }) => {
    const text = stream?.toString("latin1") ?? "";
    return text.includes("beginbfrange") ? [text] : [];
  });
  const codes = tables.flatMap((table) => [...table.matchAll(/[<\s]([0-9a-f]{4})(?=[>\s])/g)]);
  return new Set(codes.map(([, hex = ""]) => String.fromCodePoint(Number.parseInt(hex, 16))));
}

describe("drawDocument", () => {
  it("gives the same bytes for the same document", async () => {
    const [first, second] = [await drawDocument(taskOf(3)), await drawDocument(taskOf(3))];
    expect(Buffer.compare(first, second)).toBe(0);
    expect(Buffer.from(first).subarray(0, 8).toString()).toBe("%PDF-1.7");
  });

  it("has the logo at its head, also one of a data: address", async () => {
    const logo =
      "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPj/HwADBwIAMCbHYQAAAABJRU5ErkJggg==";
    const countPictures = (pdf: Uint8Array) =>
      readPdfObjects(pdf).filter(({ head }) => /\/Subtype \/Image/.test(head)).length;
    expect(countPictures(await drawDocument(taskOf(1)))).toBe(0);
    // The picture and its transparency.
    expect(countPictures(await drawDocument({ ...taskOf(1), logo }))).toBe(2);
  });

  it("fits any number of lines on as many pages as they need", async () => {
    expect(countPages(await drawDocument(taskOf(1)))).toBe(1);
    expect(countPages(await drawDocument(taskOf(200)))).toBeGreaterThan(10);
  });

  it("draws no letter as an empty box: what no font has is a question mark, which the document explains", async () => {
    const whole = listLetters(await drawDocument(taskOf(1)));
    expect([..."ΕПŁλ"].filter((letter) => !whole.has(letter))).toEqual([]);
    expect(whole.has("?")).toBe(false);
    const replaced = await drawDocument(
      taskOf(1, { customer: { name: "株式会社", lines: ["مثال"] } }),
    );
    expect(listLetters(replaced).has("?")).toBe(true);

    // A font of icons has what letters lack.
    const [icons = expect.fail("no font")] = globSync(
      "node_modules/playwright-core/lib/vite/traceViewer/codicon.*.ttf",
    );
    const added = listLetters(
      await drawDocument({
        ...taskOf(1, { customer: { name: "A \uEA60", lines: [] } }),
        font: icons,
      }),
    );
    expect([added.has("\uEA60"), added.has("?")]).toEqual([true, false]);
  });

  it("breaks words that are wider than their column", async () => {
    const description = "W".repeat(300);
    const lines = [{ ...LINE, description }];
    expect(countPages(await drawDocument(taskOf(1, { lines })))).toBe(1);
  });

  it("is PDF/A-3 with the e-invoice inside as Factur-X asks for", async () => {
    const xml = "<rsm:CrossIndustryInvoice>Łódź</rsm:CrossIndustryInvoice>";
    const pdf = await drawDocument(taskOf(1, { xml }));
    const objects = readPdfObjects(pdf);
    const catalog = objects.find(({ head }) => head.includes("/Type /Catalog"));
    if (catalog === undefined) {
      expect.fail("no catalogue");
    }
    const file = follow(objects, catalog, "AF");
    expect(file.head).toContain("/AFRelationship /Alternative");
    expect(file.head).toContain("/UF (factur-x.xml)");
    expect(catalog.head).toContain("/Names");
    const embedded = follow(objects, file, "F");
    expect(embedded.head).toContain("/Subtype /text#2Fxml");
    expect(embedded.stream?.toString()).toBe(xml);
    const intent = follow(objects, catalog, "OutputIntents");
    expect(intent.head).toContain("GTS_PDFA1");
    expect(follow(objects, intent, "DestOutputProfile").stream?.subarray(36, 40)).toEqual(
      Buffer.from("acsp"),
    );

    const xmp = follow(objects, catalog, "Metadata").stream?.toString() ?? "";
    const parsed: unknown = new XMLParser({ removeNSPrefix: true }).parse(xmp, true);
    const texts = JSON.stringify(parsed);
    for (const part of [
      '"part":3,"conformance":"B"',
      '"DocumentFileName":"factur-x.xml"',
      '"DocumentType":"INVOICE"',
      '"ConformanceLevel":"EN 16931"',
      "urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#",
      "Invoice INV-2026-000001",
      "Example <Ltd> & Sons",
    ]) {
      expect(texts, part).toContain(part);
    }
    // Fonts are embedded, none is one of the reader's own.
    const fonts = objects.filter(({ head }) => head.includes("/Type /FontDescriptor"));
    expect(fonts.length).toBeGreaterThan(0);
    expect(fonts.every(({ head }) => /\/FontFile[23] /.test(head))).toBe(true);
    expect(objects.some(({ head }) => head.includes("/Subtype /Type1"))).toBe(false);
  });

  it("claims no Factur-X without an e-invoice", async () => {
    const pdf = Buffer.from(await drawDocument(taskOf(1))).toString("latin1");
    expect(pdf).not.toContain("/AF ");
    expect(pdf).not.toContain("factur-x");
  });
});

describe("groupDigits", () => {
  it.each([
    ["1234567.5", "1,234,567.5"],
    ["-1234.50", "-1,234.50"],
    ["999", "999"],
    ["0.123456", "0.123456"],
  ])("writes %s as %s", (decimal, text) => {
    expect(groupDigits(decimal)).toBe(text);
  });
});
