import { explainAnswer, explainStatus, type MailAnswer } from "./smtp-answer.ts";

/** What a delivery report says of one recipient. */
export type ReportedRecipient = {
  /** As the sender wrote it, when the report says so; else where the mail ended. In lower case. */
  address: string;
  /** What the last server answered, such as `550 5.1.1 no such user`; empty when the report does not say. */
  answer: string;
  meaning: MailAnswer;
};

/** A report that a mail was not delivered (RFC 3464). */
export type DeliveryReport = {
  /** Without its angle brackets. */
  messageId: string;
  failed: readonly ReportedRecipient[];
};

/** Longer reports hold the whole mail; the parts that are read come first. */
export const REPORT_LENGTH_MAX = 200_000;

type Part = { headers: ReadonlyMap<string, string>; body: string };

/** Reads header fields, each once, the first of a name; folded lines are joined. */
function readHeaders(text: string): Map<string, string> {
  const headers = new Map<string, string>();
  for (const line of text.replaceAll(/\n[ \t]+/g, " ").split("\n")) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon)).trim().toLowerCase();
    if (name !== "" && !headers.has(name)) {
      headers.set(name, line.slice(colon + 1).trim());
    }
  }
  return headers;
}

function readPart(text: string): Part {
  const clean = text.startsWith("\n") ? `\n${text}` : text;
  const end = clean.indexOf("\n\n");
  return end === -1
    ? { headers: readHeaders(clean), body: "" }
    : { headers: readHeaders(clean.slice(0, end)), body: clean.slice(end + 2) };
}

function typeOf({ headers }: Part): string {
  return (headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

function readParts(report: Part): Part[] {
  const [, quoted, plain] =
    /;\s*boundary=(?:"([^"\n]{1,70})"|([^\s;"]{1,70}))/i.exec(
      report.headers.get("content-type") ?? "",
    ) ?? [];
  const boundary = quoted ?? plain;
  return boundary === undefined
    ? []
    : `\n${report.body}`
        .split(`\n--${boundary}`)
        .slice(1)
        .filter((text) => !text.startsWith("--"))
        .map((text) => readPart(text.replace(/^[ \t]*\n/, "")));
}

/** A field such as `rfc822; ada@example.com`, without its type. */
function withoutType(field: string | undefined): string {
  return (field ?? "").replace(/^[^;]*;/, "").trim();
}

function toRecipient(block: string): ReportedRecipient | undefined {
  const fields = readHeaders(block);
  if (fields.get("action")?.toLowerCase() !== "failed") {
    return;
  }
  const original = withoutType(fields.get("original-recipient"));
  const address = original === "" ? withoutType(fields.get("final-recipient")) : original;
  const answer = withoutType(fields.get("diagnostic-code"));
  // The answer tells a wrong address from a rule, where servers report a plain 5.0.0.
  const meaning =
    explainStatus((fields.get("status") ?? "").replace(/^[45]\.0\.0.*$/, "")) ??
    explainAnswer(answer, "recipient") ??
    explainStatus(fields.get("status") ?? "");
  return address === "" || meaning === undefined
    ? undefined
    : { address: address.replaceAll(/[<>]/g, "").toLowerCase(), answer, meaning };
}

const STATUS_TYPES = ["message/delivery-status", "message/global-delivery-status"];
const MAIL_TYPES = [
  "message/rfc822",
  "text/rfc822-headers",
  "message/rfc822-headers",
  "message/global",
  "message/global-headers",
];

/**
 * Reads a delivery report, as mail servers send them to the sender of a mail. What is beyond {@link REPORT_LENGTH_MAX} is not read,
 * and work grows with the length.
 *
 * @param source - The report as it arrived: headers, an empty line, and its parts.
 * @returns Undefined for any other mail, such as an answer from a person on holiday.
 */
export function parseDeliveryReport(source: string): DeliveryReport | undefined {
  const text = source.slice(0, REPORT_LENGTH_MAX).replaceAll(/\r\n?/g, "\n");
  const report = readPart(text);
  if (typeOf(report) !== "multipart/report") {
    return;
  }
  const parts = readParts(report);
  const status = parts.find((part) => STATUS_TYPES.includes(typeOf(part)));
  const mail = parts.find((part) => MAIL_TYPES.includes(typeOf(part)));
  const [, messageId] =
    /<([^<>\s]{1,300})>/.exec(readPart(mail?.body ?? "").headers.get("message-id") ?? "") ?? [];
  if (status === undefined || messageId === undefined) {
    return;
  }
  const failed = status.body
    .split(/\n[ \t]*\n/)
    .map((block) => toRecipient(block.trim()))
    .filter((recipient) => recipient !== undefined);
  return { messageId, failed };
}
