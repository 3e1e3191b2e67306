import type {
  PlayedStory,
  Refusal,
  StoryCreditNote,
  StoryInvoice,
  StoryLine,
  StoryResult,
} from "@turnpike/domain/billing/rehearsal/to-story-result";
import { toGrouped } from "@turnpike/domain/text/to-grouped";
import { toShortInstant, toTable } from "./print.ts";

function toSpan({ from, to }: StoryLine): string {
  return from === undefined || to === undefined
    ? ""
    : `${toShortInstant(from)} to ${toShortInstant(to)}`;
}

function toLinesTable(lines: readonly StoryLine[]): string {
  return toTable(
    lines,
    [
      {
        header: "LINE",
        value: ({ kind, card }) => (card === undefined ? kind : `${kind} ${card}`),
      },
      { header: "FOR (UTC)", value: toSpan },
      {
        header: "QUANTITY",
        value: ({ quantity }) => (quantity === undefined ? "" : toGrouped(quantity)),
        align: "right",
      },
      { header: "AMOUNT", value: ({ amount }) => toGrouped(amount), align: "right" },
    ],
    "",
  );
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, "  ");
}

function toTaxes(taxes: StoryInvoice["taxes"]): string[] {
  return taxes.map(
    ({ category, rate, name, base, amount }) =>
      `${name ?? "tax"} ${category} ${rate} % of ${toGrouped(base)}: ${toGrouped(amount)}`,
  );
}

function isZero(amount: string): boolean {
  return /^[0.]+$/.test(amount);
}

function toInvoiceText(invoice: StoryInvoice): string {
  const { number, status, issuedAt, currency, lines, taxes, total } = invoice;
  const settled = (["fromBalance", "prepaid", "paid", "credited", "due"] as const)
    .filter((name) => name === "due" || !isZero(invoice[name]))
    .map((name) => `${name === "fromBalance" ? "from balance" : name} ${toGrouped(invoice[name])}`);
  return [
    `${number}  ${status}  issued ${toShortInstant(issuedAt)}`,
    indent(toLinesTable(lines)),
    indent([...toTaxes(taxes), `total ${toGrouped(total)} ${currency}`].join("\n")),
    indent(settled.join(", ")),
  ].join("\n");
}

function toNoteText(note: StoryCreditNote, invoices: readonly StoryInvoice[]): string {
  const { number, issuedAt, invoice, total, toDue, toBalance } = note;
  const of = invoices[invoice]?.number ?? "";
  return `${number}  issued ${toShortInstant(issuedAt)} on ${of}: total ${toGrouped(total)}, to due ${toGrouped(toDue)}, to balance ${toGrouped(toBalance)}`;
}

function toRefusalText({ step, code, says }: Refusal): string {
  return `${step === "catalog" ? "refused" : `step ${String(step)} refused`} (${code}): ${says}`;
}

function toPlayedText(story: PlayedStory): string[] {
  const life = story.life.map(({ at, state, plan }) => `${toShortInstant(at)} ${state} (${plan})`);
  return [
    ...(life.length === 0 ? [] : [life.join(", ")]),
    ...story.invoices.map(toInvoiceText),
    ...story.creditNotes.map((note) => toNoteText(note, story.invoices)),
    ...(isZero(story.balance) ? [] : [`balance ${toGrouped(story.balance)}`]),
  ];
}

/** The result of a story for people: its invoices and credit notes, and what was refused. */
export function toStoryText(story: StoryResult): string {
  return [
    `# ${story.id}`,
    ...("invoices" in story ? toPlayedText(story) : []),
    ...story.refused.map(toRefusalText),
    "",
  ].join("\n");
}
