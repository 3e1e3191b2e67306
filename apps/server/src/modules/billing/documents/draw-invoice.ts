import { fileURLToPath } from "node:url";
import type { Invoice, InvoiceLine } from "@turnpike/contract/billing";
import PDFDocument from "pdfkit";

/** What a page of an invoice shows: the frozen part, so that one invoice always gives the same bytes. */
export type PrintedInvoice = Pick<
  Invoice,
  | "number"
  | "issuedAt"
  | "dueAt"
  | "from"
  | "to"
  | "currency"
  | "lines"
  | "net"
  | "taxes"
  | "total"
  | "fromBalance"
  | "prepaid"
  | "seller"
  | "customer"
>;

type Pdf = InstanceType<typeof PDFDocument>;

const REGULAR = fileURLToPath(
  import.meta.resolve("@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf"),
);
const BOLD = fileURLToPath(
  import.meta.resolve("@expo-google-fonts/noto-sans/700Bold/NotoSans_700Bold.ttf"),
);

/** A4 in points, and the edges of the text. */
const PAGE = { width: 595.28, height: 841.89 };
const LEFT = 56;
const RIGHT = PAGE.width - 56;
const WIDTH = RIGHT - LEFT;
const BOTTOM = PAGE.height - 84;
const AMOUNT_WIDTH = 84;
const QUANTITY_WIDTH = 84;
const TEXT_WIDTH = WIDTH - AMOUNT_WIDTH - QUANTITY_WIDTH - 16;

const INK = "#1a1f27";
const MUTED = "#5b6472";
const RULE = "#c9ced6";

const DAY = new Intl.DateTimeFormat("en", {
  day: "numeric",
  month: "long",
  year: "numeric",
  timeZone: "UTC",
});

const COUNTRIES = new Intl.DisplayNames("en", { type: "region" });

/** Groups the digits of a decimal: `1234.5` gives `1,234.5`. */
export function groupDigits(decimal: string): string {
  const [whole = "", fraction] = decimal.split(".");
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, ",");
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

function toDay(instant: string): string {
  return DAY.format(new Date(instant));
}

/** A range is half open, so its last day is the one before its end, unless it ends within a day. */
function toRange(from: string, to: string): string {
  const last = new Date(Date.parse(to) - 1).toISOString();
  const [first, end] = [toDay(from), toDay(last)];
  return first === end ? first : `${first} – ${end}`;
}

/** The pages of a document: keeps the place after the last text, and begins a page when there is no room for more. */
class Sheet {
  readonly pdf: Pdf;
  y = LEFT;
  readonly #onPage: (sheet: Sheet) => void;

  constructor(pdf: Pdf, onPage: (sheet: Sheet) => void) {
    this.pdf = pdf;
    this.#onPage = onPage;
  }

  /** Begins a page unless `height` points are left on this one. */
  need(height: number): void {
    if (this.y + height > BOTTOM) {
      this.pdf.addPage();
      this.y = LEFT;
      this.#onPage(this);
    }
  }

  text(
    content: string,
    {
      x = LEFT,
      width = WIDTH,
      size = 9,
      isBold = false,
      color = INK,
      align = "left",
    }: {
      x?: number;
      width?: number;
      size?: number;
      isBold?: boolean;
      color?: string;
      align?: "left" | "right";
    } = {},
  ): number {
    this.pdf
      .font(isBold ? BOLD : REGULAR)
      .fontSize(size)
      .fillColor(color);
    const height = this.pdf.heightOfString(content, { width, align });
    this.pdf.text(content, x, this.y, { width, align });
    return height;
  }

  rule(): void {
    this.pdf.moveTo(LEFT, this.y).lineTo(RIGHT, this.y).lineWidth(0.5).strokeColor(RULE).stroke();
  }
}

function listParty(party: Invoice["seller"]): string[] {
  return [
    ...party.lines,
    ...(party.country === null ? [] : [COUNTRIES.of(party.country) ?? party.country]),
    ...(party.taxId === null ? [] : [`Tax id: ${party.taxId}`]),
    ...(party.email === null ? [] : [party.email]),
  ];
}

function drawHead(sheet: Sheet, invoice: PrintedInvoice): void {
  const half = WIDTH / 2;
  const top = sheet.y;
  sheet.y += sheet.text(invoice.seller.name, { width: half, size: 14, isBold: true }) + 4;
  for (const line of listParty(invoice.seller)) {
    sheet.y += sheet.text(line, { width: half, color: MUTED });
  }
  const sellerEnd = sheet.y;
  sheet.y = top;
  const right = { x: LEFT + half, width: half, align: "right" } as const;
  sheet.y += sheet.text("Invoice", { ...right, size: 20, isBold: true }) + 2;
  const facts = [
    ["Number", invoice.number],
    ["Issued", toDay(invoice.issuedAt)],
    ["Due", toDay(invoice.dueAt)],
    ...(invoice.from === null || invoice.to === null || invoice.from === invoice.to
      ? []
      : [["Period", toRange(invoice.from, invoice.to)]]),
  ];
  for (const [name, value] of facts) {
    sheet.y += sheet.text(`${name ?? ""}: ${value ?? ""}`, right);
  }
  sheet.y = Math.max(sellerEnd, sheet.y) + 24;
  sheet.y += sheet.text("Billed to", { color: MUTED, size: 8 }) + 2;
  sheet.y += sheet.text(invoice.customer.name, { isBold: true });
  for (const line of listParty(invoice.customer)) {
    sheet.y += sheet.text(line);
  }
  sheet.y += 24;
}

function drawColumns(sheet: Sheet, currency: string): void {
  const options = { color: MUTED, size: 8 };
  sheet.text("Description", options);
  sheet.text("Quantity", {
    ...options,
    x: LEFT + TEXT_WIDTH + 8,
    width: QUANTITY_WIDTH,
    align: "right",
  });
  sheet.y +=
    sheet.text(`Amount (${currency})`, {
      ...options,
      x: RIGHT - AMOUNT_WIDTH,
      width: AMOUNT_WIDTH,
      align: "right",
    }) + 4;
  sheet.rule();
  sheet.y += 6;
}

/** The small print below a line. */
function listNotes(line: InvoiceLine): string[] {
  const { from, to, tiers, unit, reason } = line;
  const range = from === null || to === null || from === to ? [] : [toRange(from, to)];
  const steps = tiers
    .filter(({ quantity }) => quantity !== "0")
    .map(({ upTo, quantity, amount }) => {
      const tier = upTo === null ? "last tier" : `tier up to ${groupDigits(upTo)}`;
      return `${groupDigits(quantity)} ${unit ?? "units"} in the ${tier}: ${groupDigits(amount)}`;
    });
  return [...range, ...(steps.length > 1 ? steps : []), ...(reason === null ? [] : [reason])];
}

/** Draws a line; what coupons and credit take off has lines of its own, below zero. */
function drawLine(sheet: Sheet, line: InvoiceLine): void {
  const notes = listNotes(line);
  sheet.need(16 + 11 * Math.min(notes.length, 4));
  const isCounted =
    line.quantity !== null && line.kind !== "commitment" && line.kind !== "adjustment";
  if (isCounted) {
    sheet.text(groupDigits(line.quantity ?? ""), {
      x: LEFT + TEXT_WIDTH + 8,
      width: QUANTITY_WIDTH,
      align: "right",
    });
  }
  sheet.text(groupDigits(line.amount), {
    x: RIGHT - AMOUNT_WIDTH,
    width: AMOUNT_WIDTH,
    align: "right",
  });
  sheet.y += sheet.text(line.description, { width: TEXT_WIDTH });
  for (const note of notes) {
    sheet.need(11);
    sheet.y += sheet.text(note, { width: TEXT_WIDTH, size: 7.5, color: MUTED });
  }
  sheet.y += 6;
}

function drawSum(sheet: Sheet, name: string, amount: string, isBold = false): void {
  sheet.need(16);
  const width = 260;
  sheet.text(name, {
    x: RIGHT - AMOUNT_WIDTH - width - 8,
    width,
    align: "right",
    isBold,
    color: isBold ? INK : MUTED,
  });
  sheet.y +=
    sheet.text(groupDigits(amount), {
      x: RIGHT - AMOUNT_WIDTH,
      width: AMOUNT_WIDTH,
      align: "right",
      isBold,
    }) + 2;
}

function isZero(amount: string): boolean {
  return !/[1-9]/.test(amount);
}

/** Why no tax is charged, in the words that the law asks for. */
const TAX_NOTES: Readonly<Record<string, string>> = {
  AE: "Reverse charge: the customer accounts for the VAT.",
  E: "Exempt from VAT.",
  O: "Outside the scope of VAT.",
};

/** Subtracts decimals of one currency exactly. */
function minus(amount: string, ...others: string[]): string {
  const digits = amount.split(".")[1]?.length ?? 0;
  const toMinor = (decimal: string) => BigInt(decimal.replace(".", ""));
  const left = others.reduce((rest, other) => rest - toMinor(other), toMinor(amount));
  const text = left.toString().padStart(digits + 1, "0");
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

function drawSums(sheet: Sheet, invoice: PrintedInvoice): void {
  const { net, taxes, total, fromBalance, prepaid, currency, dueAt } = invoice;
  sheet.need(80);
  sheet.rule();
  sheet.y += 8;
  drawSum(sheet, "Net", net);
  for (const { name, rate, base, amount, category } of taxes) {
    const what = name ?? "Tax";
    drawSum(sheet, `${what} ${rate} % of ${groupDigits(base)} (${category})`, amount);
  }
  drawSum(sheet, `Total ${currency}`, total, true);
  if (!isZero(fromBalance)) {
    drawSum(sheet, "Paid from your balance", `-${fromBalance}`);
  }
  if (!isZero(prepaid)) {
    drawSum(sheet, "Paid from prepaid credit", `-${prepaid}`);
  }
  const due = minus(total, fromBalance, prepaid);
  drawSum(sheet, isZero(due) ? "Nothing to pay" : `To pay by ${toDay(dueAt)}`, due, true);
  sheet.y += 12;
  for (const note of new Set(taxes.map(({ category }) => TAX_NOTES[category] ?? ""))) {
    if (note !== "") {
      sheet.need(14);
      sheet.y += sheet.text(note, { color: MUTED });
    }
  }
}

function drawPageNumbers(pdf: Pdf, invoice: PrintedInvoice): void {
  const { count } = pdf.bufferedPageRange();
  for (let page = 0; page < count; page += 1) {
    pdf.switchToPage(page);
    // The footer is below the margin, where text would begin a page.
    pdf.page.margins.bottom = 0;
    pdf.font(REGULAR).fontSize(8).fillColor(MUTED);
    const y = PAGE.height - 48;
    pdf.text(`${invoice.seller.name} · Invoice ${invoice.number}`, LEFT, y, {
      width: WIDTH * 0.75,
      lineBreak: false,
    });
    pdf.text(`Page ${String(page + 1)} of ${String(count)}`, LEFT + WIDTH * 0.75, y, {
      width: WIDTH * 0.25,
      align: "right",
      lineBreak: false,
    });
  }
}

/** Draws an invoice as PDF. One invoice always gives the same bytes. Takes tens of milliseconds: call it in a thread. */
export async function drawInvoice(invoice: PrintedInvoice): Promise<Uint8Array> {
  const pdf = new PDFDocument({
    size: "A4",
    margin: LEFT,
    bufferPages: true,
    font: REGULAR,
    lang: "en",
    info: {
      Title: `Invoice ${invoice.number}`,
      Author: invoice.seller.name,
      Creator: "Turnpike",
      Producer: "Turnpike",
      CreationDate: new Date(invoice.issuedAt),
      ModDate: new Date(invoice.issuedAt),
    },
  });
  const chunks: Uint8Array[] = [];
  const done = new Promise<void>((resolve, reject) => {
    pdf.on("data", (chunk: Uint8Array) => chunks.push(chunk));
    pdf.once("end", resolve);
    pdf.once("error", reject);
  });
  const sheet = new Sheet(pdf, (page) => drawColumns(page, invoice.currency));
  drawHead(sheet, invoice);
  drawColumns(sheet, invoice.currency);
  for (const line of invoice.lines) {
    drawLine(sheet, line);
  }
  drawSums(sheet, invoice);
  drawPageNumbers(pdf, invoice);
  pdf.end();
  await done;
  return Buffer.concat(chunks);
}
