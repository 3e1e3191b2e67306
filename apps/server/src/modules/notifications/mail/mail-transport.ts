import { createHash } from "node:crypto";
import type { MailContent } from "@turnpike/domain/mail/mail-content";
import type { Language } from "@turnpike/domain/text/languages";
import { toPlainLine } from "@turnpike/domain/text/plain-text";
import { createTransport } from "nodemailer";
import type { Logger } from "#platform/logger.ts";
import { explainMailFailure, type MailFailure } from "./explain-mail-failure.ts";
import type { MailAttachment } from "./mail-attachments.store.ts";
import type { FindMailLogo } from "./mail-logo.ts";
import { translateMail } from "./translate-mail.ts";
import { type MailBrand, writeHtml } from "./write-html.ts";

export type OutgoingMail = {
  /** The same for every attempt, so that a receiver can recognise a repetition. */
  mailId: string;
  to: string;
  subject: string;
  text: string;
  /** What the text and the HTML are written from; null for a mail of plain text. */
  content: MailContent | null;
  /** In which it is sent; what is given is English. Null: that of the installation. */
  language: Language | null;
  attachments: readonly MailAttachment[];
};

/** Sends mails. Every implementation may be given the same mail twice. */
export interface MailTransport {
  /** True if mails can only be read on the outbox page. */
  readonly keepsText: boolean;
  /**
   * @returns What the server answered, in one line; null without a server.
   * @throws {MailRefusedError} If no later attempt can succeed.
   * @throws {MailDeliveryError} If a later attempt may succeed.
   */
  deliver(mail: OutgoingMail): Promise<string | null>;
  close(): void;
}

/** An attempt failed. The message says why in the words of the server, without the recipient. */
export class MailDeliveryError extends Error {
  override readonly name: string = "MailDeliveryError";
  readonly failure: MailFailure;

  constructor(message: string, failure: MailFailure) {
    super(message);
    this.failure = failure;
  }
}

/** The mail server has refused this mail permanently. */
export class MailRefusedError extends MailDeliveryError {
  override readonly name = "MailRefusedError";
}

export type MailSettings = {
  /** Address of the sender. */
  from: string;
  brand: MailBrand;
  /** Undefined: the outbox. */
  smtp?: { host: string; port: number; secure: boolean; user?: string | undefined } | undefined;
  smtpPassword?: string | undefined;
};

export type MailTransportDeps = {
  logger: Pick<Logger, "info">;
  /** Left out: mails have none. */
  findLogo?: FindMailLogo;
};

const CONNECT_TIMEOUT_MS = 10_000;
/** The longest wait between two answers of the server. */
const SILENCE_TIMEOUT_MS = 20_000;
const HASH_LENGTH = 16;
const REASON_LENGTH_MAX = 500;

/** The recipient as it appears in the log: enough to recognise the same one. */
export function hashRecipient(address: string): string {
  return createHash("sha256").update(address.toLowerCase()).digest("hex").slice(0, HASH_LENGTH);
}

/** Keeps mails for the operator to read on the outbox page. */
export function createOutboxTransport(logger: Pick<Logger, "info">): MailTransport {
  return {
    keepsText: true,
    deliver(mail) {
      logger.info(
        { mailId: mail.mailId, recipientHash: hashRecipient(mail.to) },
        "a mail is in the outbox",
      );
      return Promise.resolve(null);
    },
    close: () => undefined,
  };
}

/**
 * Describes a failure without naming the recipient. Leaves the cause out on purpose: its fields hold the addresses, and loggers
 * print causes.
 */
function toDeliveryError(error: unknown, mail: OutgoingMail): MailDeliveryError {
  const reason = error instanceof Error ? error.message : String(error);
  const message = toPlainLine(reason.replaceAll(mail.to, "the recipient"), REASON_LENGTH_MAX);
  const failure = explainMailFailure(error);
  return failure.isPermanent
    ? new MailRefusedError(message, failure)
    : new MailDeliveryError(message, failure);
}

/** Mails without a logo of the operator. */
const findNoLogo: FindMailLogo = () => Promise.resolve(undefined);

type ServerSettings = MailSettings & { smtp: NonNullable<MailSettings["smtp"]> };

function openServer(settings: ServerSettings) {
  const { host, port, secure, user } = settings.smtp;
  return createTransport({
    host,
    port,
    secure,
    ...(user === undefined ? {} : { auth: { user, pass: settings.smtpPassword ?? "" } }),
    requireTLS: user !== undefined && !secure,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    // A mail is what is handed over: nothing in it may make the library read a file or an address.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/**
 * Connects and signs in to the mail server, and sends nothing.
 *
 * @throws {Error} saying why it takes no mail from here.
 */
export async function verifyMailServer(settings: ServerSettings): Promise<void> {
  const server = openServer(settings);
  try {
    await server.verify();
  } finally {
    server.close();
  }
}

/** Delivers to a mail server, always over TLS if a password is sent. */
export function createSmtpTransport(
  settings: ServerSettings,
  { logger, findLogo = findNoLogo }: MailTransportDeps,
): MailTransport {
  const transport = openServer(settings);
  const domain = settings.from.slice(settings.from.lastIndexOf("@") + 1);
  const logoId = `logo@${domain}`;

  /** The HTML, and the picture in it, which the mail brings along. */
  async function toHtmlPart({
    subject,
    content,
    language,
  }: Pick<OutgoingMail, "subject" | "content"> & { language: Language }) {
    if (content === null) {
      return { pictures: [] };
    }
    const png = await findLogo();
    const logo = png === undefined ? undefined : `cid:${logoId}`;
    const pictures =
      png === undefined
        ? []
        : [
            {
              filename: "logo.png",
              contentType: "image/png",
              content: Buffer.from(png),
              cid: logoId,
              contentDisposition: "inline" as const,
            },
          ];
    return { html: writeHtml({ subject, content, language, logo }, settings.brand), pictures };
  }

  return {
    keepsText: false,
    async deliver(mail) {
      try {
        const written = translateMail(mail, settings.brand);
        const { pictures, ...html } = await toHtmlPart(written);
        const { response } = await transport.sendMail({
          from: settings.from,
          to: { name: "", address: mail.to },
          subject: written.subject,
          text: written.text,
          ...html,
          attachments: [
            ...mail.attachments.map(({ name, mediaType, content }) => ({
              filename: name,
              contentType: mediaType,
              content: Buffer.from(content),
            })),
            ...pictures,
          ],
          messageId: `<${mail.mailId}@${domain}>`,
          headers: { "Auto-Submitted": "auto-generated" },
        });
        logger.info(
          { mailId: mail.mailId, recipientHash: hashRecipient(mail.to) },
          "a mail was handed to the mail server",
        );
        return toPlainLine(response, REASON_LENGTH_MAX);
      } catch (error) {
        throw toDeliveryError(error, mail);
      }
    },
    close: () => transport.close(),
  };
}

/** Creates the configured transport. */
export function createMailTransport(
  settings: MailSettings,
  deps: MailTransportDeps,
): MailTransport {
  const { smtp } = settings;
  return smtp === undefined
    ? createOutboxTransport(deps.logger)
    : createSmtpTransport({ ...settings, smtp }, deps);
}
