import PDFDocument from "pdfkit";
import { fillPlaces } from "#platform/words/fill-places.ts";
import { addAuthor, embedInvoice } from "./factur-x.ts";
import { Fonts, REGULAR_FONT } from "./fonts.ts";
import type { Pdf } from "./pdfkit-types.ts";
import type { PrintedDocument, PrintedLine, PrintedParty, PrintedSum } from "./printed-document.ts";
import { LEFT, MUTED, PAGE, RIGHT, Sheet, type TextOptions, WIDTH } from "./sheet.ts";

/** A document to be drawn. */
export type DrawTask = {
  document: PrintedDocument;
  /** The same document as Cross Industry Invoice, which goes inside; null where it has no such form. */
  xml: string | null;
  /** A PNG or JPEG that the operator adds: its path, or a PNG as a `data:` address. */
  logo: string | null;
  /** Path of a font that the operator adds. */
  font: string | null;
};

const GAP = 8;
const LOGO_SIZE: [number, number] = [180, 52];
const SUM_NAME_WIDTH = 300;
const NOTE: TextOptions = { size: 7.5, color: MUTED };
const WIDTHS = { quantity: 66, unitPrice: 82, tax: 44, amount: 84 } as const;
type ColumnName = keyof typeof WIDTHS;
const COLUMNS = ["quantity", "unitPrice", "tax", "amount"] as const satisfies ColumnName[];

/** Where each column is, from the right; what is left is for the description. */
function placeColumns({ columns }: PrintedDocument) {
  const places = new Map<ColumnName, { x: number; width: number }>();
  let edge = RIGHT;
  for (const name of COLUMNS.toReversed()) {
    if (columns[name] !== null) {
      const width = WIDTHS[name];
      places.set(name, { x: edge - width, width });
      edge -= width + GAP;
    }
  }
  return { places, textWidth: edge - LEFT };
}

function drawParty(sheet: Sheet, { name, lines }: PrintedParty, options: TextOptions): void {
  sheet.y += sheet.text(name, { ...options, isBold: true });
  for (const line of lines) {
    sheet.y += sheet.text(line, options);
  }
}

function drawHead(sheet: Sheet, { document, logo }: DrawTask): void {
  const half = WIDTH / 2 - GAP;
  const top = sheet.y;
  if (logo !== null) {
    sheet.pdf.image(logo, LEFT, top, { fit: LOGO_SIZE });
    sheet.y += LOGO_SIZE[1] + 12;
  }
  const { seller } = document;
  sheet.y += sheet.text(seller.name, { width: half, size: 14, isBold: true }) + 4;
  for (const line of seller.lines) {
    sheet.y += sheet.text(line, { width: half, color: MUTED });
  }
  const sellerEnd = sheet.y;
  sheet.y = top;
  const right = { x: RIGHT - half, width: half, align: "right" } as const;
  sheet.y += sheet.text(document.title, { ...right, size: 20, isBold: true }) + 2;
  for (const { name, value } of document.facts) {
    sheet.y += sheet.text(`${name}: ${value}`, right);
  }
  if (document.warning !== null) {
    sheet.y += sheet.text(document.warning, { ...right, isBold: true });
  }
  sheet.y = Math.max(sellerEnd, sheet.y) + 24;
  sheet.y += sheet.text(document.labels.billedTo, { color: MUTED, size: 8 }) + 2;
  drawParty(sheet, document.customer, { width: half });
  sheet.y += 24;
}

function drawColumns(sheet: Sheet, document: PrintedDocument): void {
  const { places, textWidth } = placeColumns(document);
  const options = { color: MUTED, size: 8 };
  let height = sheet.text(document.labels.charges, { ...options, width: textWidth });
  for (const [name, place] of places) {
    const head = document.columns[name] ?? "";
    height = Math.max(height, sheet.text(head, { ...options, ...place, align: "right" }));
  }
  sheet.y += height + 4;
  sheet.rule();
  sheet.y += 6;
}

/** Draws a line; what coupons and credit take off has lines of its own, below zero. */
function drawLine(sheet: Sheet, line: PrintedLine, document: PrintedDocument): void {
  const { places, textWidth: width } = placeColumns(document);
  const head = sheet.measure(line.description, { width });
  const notes = line.notes.map((note) => sheet.measure(note, { ...NOTE, width }));
  // A line stays whole unless its notes are many.
  sheet.need(head + notes.slice(0, 4).reduce((sum, height) => sum + height, 0));
  let height = head;
  for (const [name, place] of places) {
    height = Math.max(height, sheet.text(line[name], { ...place, align: "right" }));
  }
  sheet.text(line.description, { width });
  sheet.y += line.notes.length === 0 ? height : head;
  for (const [index, note] of line.notes.entries()) {
    sheet.need(notes[index] ?? 0);
    sheet.y += sheet.text(note, { ...NOTE, width });
  }
  sheet.y += 6;
}

function drawSum(sheet: Sheet, { name, amount, isBold }: PrintedSum): void {
  const amountWidth = WIDTHS.amount + 24;
  const place = { x: RIGHT - amountWidth - SUM_NAME_WIDTH - GAP, width: SUM_NAME_WIDTH };
  const color = isBold ? {} : { color: MUTED };
  sheet.need(sheet.measure(name, { ...place, isBold }) + 2);
  const height = sheet.text(name, { ...place, ...color, align: "right", isBold });
  const right = { x: RIGHT - amountWidth, width: amountWidth, align: "right", isBold } as const;
  sheet.y += Math.max(height, sheet.text(amount, right)) + 2;
}

function drawParagraph(sheet: Sheet, text: string, options: TextOptions): void {
  sheet.need(sheet.measure(text, options));
  sheet.y += sheet.text(text, options);
}

function drawEnd(sheet: Sheet, { sums, notes, payment, labels }: PrintedDocument): void {
  sheet.need(80);
  sheet.rule();
  sheet.y += 8;
  for (const sum of sums) {
    drawSum(sheet, sum);
  }
  sheet.y += 12;
  for (const note of notes) {
    drawParagraph(sheet, note, { color: MUTED });
  }
  if (payment.length > 0) {
    sheet.y += 8;
    sheet.need(14 * (payment.length + 1));
    drawParagraph(sheet, labels.howToPay, { isBold: true });
    for (const line of payment) {
      drawParagraph(sheet, line, {});
    }
  }
}

function drawFooters(sheet: Sheet, { title, number, seller, labels }: PrintedDocument): void {
  const { pdf } = sheet;
  const { count } = pdf.bufferedPageRange();
  const half = WIDTH * 0.75 - GAP;
  for (let page = 0; page < count; page += 1) {
    pdf.switchToPage(page);
    sheet.y = PAGE.height - 48;
    const options = { color: MUTED, size: 8 };
    sheet.text(`${seller.name} · ${title} ${number}`, { ...options, width: half });
    const place = { x: LEFT + half + GAP, width: WIDTH - half - GAP, align: "right" } as const;
    const text = fillPlaces(labels.page, [String(page + 1), String(count)]);
    sheet.text(text, { ...options, ...place });
  }
}

function createPdf({ language, title, number, issuedAt }: PrintedDocument): Pdf {
  return new PDFDocument({
    size: "A4",
    margin: 0,
    bufferPages: true,
    font: REGULAR_FONT,
    lang: language,
    pdfVersion: "1.7",
    subset: "PDF/A-3b",
    displayTitle: true,
    info: {
      Title: `${title} ${number}`,
      Creator: "Turnpike",
      Producer: "Turnpike",
      CreationDate: new Date(issuedAt),
      ModDate: new Date(issuedAt),
    },
  });
}

/**
 * Draws a document as PDF/A-3, with the e-invoice inside where it has one (Factur-X). The same task always gives the same bytes. Takes
 * tens of milliseconds: call it in a thread.
 */
export async function drawDocument(task: DrawTask): Promise<Uint8Array> {
  const { document, xml, font } = task;
  const pdf = createPdf(document);
  const chunks: Uint8Array[] = [];
  const done = new Promise<void>((resolve, reject) => {
    pdf.on("data", (chunk: Uint8Array) => chunks.push(chunk));
    pdf.once("end", resolve);
    pdf.once("error", reject);
  });
  const fonts = new Fonts(pdf, font);
  const sheet = new Sheet(pdf, fonts, (page) => drawColumns(page, document));
  drawHead(sheet, task);
  drawColumns(sheet, document);
  for (const line of document.lines) {
    drawLine(sheet, line, document);
  }
  drawEnd(sheet, document);
  if (fonts.hasSubstitute) {
    sheet.y += 8;
    drawParagraph(sheet, document.labels.substitutes, NOTE);
  }
  drawFooters(sheet, document);
  addAuthor(pdf, document.seller.name);
  if (xml !== null) {
    embedInvoice(pdf, { xml, issuedAt: new Date(document.issuedAt) });
  }
  pdf.end();
  await done;
  return Buffer.concat(chunks);
}
