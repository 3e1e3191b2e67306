import { createHash } from "node:crypto";
import { toPlainLine } from "@turnpike/domain/text/plain-text";
import { createTransport } from "nodemailer";
import type { Logger } from "#platform/logger.ts";
import type { MailAttachment } from "./mail-attachments.store.ts";

export type OutgoingMail = {
  /** The same for every attempt, so that a receiver can recognise a repetition. */
  mailId: string;
  to: string;
  subject: string;
  text: string;
  /** The same as HTML; null for a mail of plain text. */
  html: string | null;
  attachments: readonly MailAttachment[];
};

/** Sends mails. Every implementation may be given the same mail twice. */
export interface MailTransport {
  /** True if mails can only be read on the outbox page. */
  readonly keepsText: boolean;
  /**
   * @throws {MailRefusedError} If no later attempt can succeed.
   * @throws {MailDeliveryError} If a later attempt may succeed.
   */
  deliver(mail: OutgoingMail): Promise<void>;
  close(): void;
}

/** An attempt failed. The message says why, without the recipient. */
export class MailDeliveryError extends Error {
  override readonly name: string = "MailDeliveryError";
}

/** The mail server has refused this mail permanently. */
export class MailRefusedError extends MailDeliveryError {
  override readonly name = "MailRefusedError";
}

export type MailSettings = {
  /** Address of the sender. */
  from: string;
  /** Undefined: the outbox. */
  smtp?: { host: string; port: number; secure: boolean; user?: string | undefined } | undefined;
  smtpPassword?: string | undefined;
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
      return Promise.resolve();
    },
    close: () => undefined,
  };
}

/** Replies of class 5 are final (RFC 5321, section 4.2.1), except those that concern us rather than the mail. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error)) {
    return false;
  }
  const { responseCode, command } = error as { responseCode?: number; command?: string };
  const isAboutMail = command === "RCPT TO" || command === "DATA";
  return isAboutMail && responseCode !== undefined && responseCode >= 500 && responseCode < 600;
}

/**
 * Describes a failure without naming the recipient. Leaves the cause out on purpose: its fields hold the addresses, and loggers
 * print causes.
 */
function toDeliveryError(error: unknown, mail: OutgoingMail): MailDeliveryError {
  const reason = error instanceof Error ? error.message : String(error);
  const message = toPlainLine(reason.replaceAll(mail.to, "the recipient"), REASON_LENGTH_MAX);
  return isRefusal(error) ? new MailRefusedError(message) : new MailDeliveryError(message);
}

/** Delivers to a mail server, always over TLS if a password is sent. */
export function createSmtpTransport(
  settings: MailSettings & { smtp: NonNullable<MailSettings["smtp"]> },
  logger: Pick<Logger, "info">,
): MailTransport {
  const { host, port, secure, user } = settings.smtp;
  const transport = createTransport({
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
  const domain = settings.from.slice(settings.from.lastIndexOf("@") + 1);
  return {
    keepsText: false,
    async deliver(mail) {
      try {
        await transport.sendMail({
          from: settings.from,
          to: { name: "", address: mail.to },
          subject: mail.subject,
          text: mail.text,
          ...(mail.html === null ? {} : { html: mail.html }),
          attachments: mail.attachments.map(({ name, mediaType, content }) => ({
            filename: name,
            contentType: mediaType,
            content: Buffer.from(content),
          })),
          messageId: `<${mail.mailId}@${domain}>`,
          headers: { "Auto-Submitted": "auto-generated" },
        });
      } catch (error) {
        throw toDeliveryError(error, mail);
      }
      logger.info(
        { mailId: mail.mailId, recipientHash: hashRecipient(mail.to) },
        "a mail was handed to the mail server",
      );
    },
    close: () => transport.close(),
  };
}

/** Creates the configured transport. */
export function createMailTransport(
  settings: MailSettings,
  logger: Pick<Logger, "info">,
): MailTransport {
  const { smtp } = settings;
  return smtp === undefined
    ? createOutboxTransport(logger)
    : createSmtpTransport({ ...settings, smtp }, logger);
}
