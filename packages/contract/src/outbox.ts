import { isId } from "@turnpike/domain/ids/ids";
import { REPORT_LENGTH_MAX } from "@turnpike/domain/mail/delivery-report";
import { z } from "zod";
import { operation } from "./operation.ts";
import { displayText, instant, pageOf, pageQuery, plainText } from "./shapes.ts";

/** `held`: its address refused an earlier mail for good. `bounced`: taken by a server, and reported as undeliverable later. */
export const MAIL_STATES = ["queued", "sent", "failed", "held", "bounced"] as const;

const mailId = z
  .string()
  .refine((value) => isId("mail", value), {
    error: "Not the id of a mail; it looks like mail_0199f3b0c1d27a4e8f60112233445566.",
  })
  .meta({ examples: ["mail_0199f3b0c1d27a4e8f60112233445566"] });

/** One plain address: no list, name or comment. */
const address = z.email().max(320);

export const mail = z.strictObject({
  mailId: z.string(),
  kind: z.string(),
  to: z.string(),
  subject: z.string(),
  /** Null once a mail server has accepted it, because its links are secrets. */
  text: z.string().nullable(),
  /** `GET /v1/outbox/{mailId}/attachments/{position}` is the file, as long as it is kept. */
  attachments: z.array(
    z.strictObject({
      position: z.number().int(),
      name: z.string(),
      mediaType: z.string(),
      bytes: z.number().int(),
      /** False once a mail server has accepted the mail. */
      isKept: z.boolean(),
    }),
  ),
  state: z.enum(MAIL_STATES),
  attempts: z.number().int(),
  /** In the words of the mail server. */
  lastError: z.string().nullable(),
  /** What that means, in one plain sentence. */
  explanation: z.string().nullable(),
  createdAt: instant,
  sentAt: instant.nullable(),
});
export type Mail = z.infer<typeof mail>;

export const mailPreview = z.strictObject({
  /** A whole page that fetches nothing and runs nothing; null for a mail of plain text. */
  html: z.string().nullable(),
});
export type MailPreview = z.infer<typeof mailPreview>;

export const mailTest = z.strictObject({
  mailId: z.string(),
  outcome: z.enum(["accepted", "failed"]),
  /** One plain sentence. */
  explanation: z.string(),
  /** What the mail server wrote, or the network; null when nothing answered. */
  answer: z.string().nullable(),
});
export type MailTest = z.infer<typeof mailTest>;

export const refusedAddress = z.strictObject({
  address: z.string(),
  /** Why, in one plain sentence. */
  explanation: z.string(),
  /** In the words of the mail server. */
  answer: z.string(),
  refusedAt: instant,
});
export type RefusedAddress = z.infer<typeof refusedAddress>;

const tags = ["Outbox"];

export const outboxContract = {
  list: operation({ scope: "outbox:read" })
    .route({ method: "GET", path: "/outbox", summary: "List mails, newest first", tags })
    .input(
      z.strictObject({
        state: z.enum(MAIL_STATES).optional(),
        /** As `invitation`. */
        kind: plainText(64).optional(),
        /** Part of the recipient's address. */
        to: plainText(320).optional(),
        ...pageQuery,
      }),
    )
    .output(pageOf(mail)),
  preview: operation({ scope: "outbox:read" })
    .route({
      method: "GET",
      path: "/outbox/{mailId}/preview",
      summary: "Show a mail as its reader sees it, as long as its text is kept",
      tags,
    })
    .input(z.strictObject({ mailId }))
    .output(mailPreview),
  test: operation({ scope: "outbox:write" })
    .route({
      method: "POST",
      path: "/outbox/test",
      summary: "Send a test mail now, and answer what the mail server says",
      tags,
    })
    .input(z.strictObject({ to: address }))
    .output(mailTest),
  resend: operation({ scope: "outbox:write" })
    .route({
      method: "POST",
      path: "/outbox/{mailId}/resend",
      summary: "Send a mail again that failed or was held",
      tags,
    })
    .input(z.strictObject({ mailId }))
    .output(mail),
  recordBounce: operation({ scope: "outbox:write" })
    .route({
      method: "POST",
      path: "/outbox/bounces",
      summary: "Report a mail that came back, by the delivery report (RFC 3464) as it arrived",
      tags,
    })
    .input(
      z.strictObject({
        /** Its source: headers, an empty line, and its parts. */
        report: plainText(REPORT_LENGTH_MAX).min(1),
      }),
    )
    .output(
      z.strictObject({
        /** Null when the report is about no mail that is kept here, or about none that failed. */
        mailId: z.string().nullable(),
        /** True when later mails to the address are held. */
        isAddressRefused: z.boolean(),
        explanation: z.string(),
      }),
    ),
  listRefusedAddresses: operation({ scope: "outbox:read" })
    .route({
      method: "GET",
      path: "/outbox/refused-addresses",
      summary: "List addresses that refused mail for good, the newest refusals first",
      tags,
    })
    .input(
      z.strictObject({
        /** Part of the address. */
        address: plainText(320).optional(),
        limit: z.coerce.number().int().min(1).max(100).default(50),
      }),
    )
    .output(z.strictObject({ items: z.array(refusedAddress) })),
  liftRefusal: operation({ scope: "outbox:write", worksWhenFull: true })
    .route({
      method: "POST",
      path: "/outbox/refused-addresses/lift",
      summary: "Send mails to an address again",
      tags,
    })
    .input(z.strictObject({ address: displayText(320) }))
    .output(z.strictObject({ address: z.string() })),
};
