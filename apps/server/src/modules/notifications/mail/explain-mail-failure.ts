import { explainAnswer, type MailStep } from "@turnpike/domain/mail/smtp-answer";

/** What an attempt failed for. */
export type MailFailure = {
  /** One plain sentence, without the recipient and without anything that the server wrote. */
  text: string;
  /** True if no later attempt of this mail can succeed. */
  isPermanent: boolean;
  /** True if no mail to this address can arrive any more. */
  isAddress: boolean;
};

const STEPS: Readonly<Record<string, MailStep>> = {
  CONN: "connect",
  "MAIL FROM": "sender",
  "RCPT TO": "recipient",
  DATA: "message",
};

/** Codes of the operating system and of TLS, which say more than those of the library. */
const SYSTEM: Readonly<Record<string, string>> = {
  ENOTFOUND: "The name of the mail server was not found.",
  EAI_AGAIN: "The name of the mail server cannot be looked up at the moment.",
  ECONNREFUSED: "Nothing answers at this port of the mail server.",
  ECONNRESET: "The mail server closed the connection.",
  EHOSTUNREACH: "There is no way to the mail server through the network.",
  ENETUNREACH: "There is no way to the mail server through the network.",
  ETIMEDOUT: "The mail server did not answer in time.",
  CERT_HAS_EXPIRED: "The certificate of the mail server has expired.",
  ERR_TLS_CERT_ALTNAME_INVALID: "The certificate of the mail server is for another name.",
  DEPTH_ZERO_SELF_SIGNED_CERT: "The mail server signed its certificate itself.",
  SELF_SIGNED_CERT_IN_CHAIN: "The certificate of the mail server is of an unknown authority.",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "The certificate of the mail server is of an unknown authority.",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    "The certificate of the mail server is of an unknown authority.",
  ERR_SSL_WRONG_VERSION_NUMBER:
    "The mail server does not speak TLS at this port: set `secure` to false, or choose another port.",
  EDNS: "The name of the mail server was not found.",
  ETLS: "No TLS connection to the mail server could be made.",
  EAUTH: "The mail server does not accept the user or the password.",
  ENOAUTH: "The mail server wants a user and a password.",
  ECONNECTION: "The mail server closed the connection.",
  EPROTOCOL:
    "What answers at this port is no mail server, or `secure` is not as the port needs it.",
};
const UNKNOWN = "The mail could not be handed to the mail server.";

/** What the mail library says of a failure. */
type LibraryError = Error & {
  code?: string;
  originalCode?: string;
  command?: string;
  response?: string;
};

function toStep({ code, command }: LibraryError): MailStep | undefined {
  return code === "EAUTH" || command?.startsWith("AUTH") === true
    ? "sign_in"
    : STEPS[command ?? ""];
}

/**
 * Says in plain words why a mail was not taken. Replies of class 5 are final (RFC 5321, section 4.2.1), except those that concern us
 * rather than the mail: a wrong password or sender is corrected in the configuration, and the mail is then sent.
 */
export function explainMailFailure(error: unknown): MailFailure {
  if (!(error instanceof Error)) {
    return { text: UNKNOWN, isPermanent: false, isAddress: false };
  }
  const failed: LibraryError = error;
  const step = toStep(failed);
  const answer =
    failed.response === undefined || failed.code === "ETLS"
      ? undefined
      : explainAnswer(failed.response, step);
  if (answer !== undefined) {
    const isPermanent = answer.isPermanent && (step === "recipient" || step === "message");
    const isAddress = isPermanent && answer.objection === "address";
    return { text: answer.text, isPermanent, isAddress };
  }
  const text = SYSTEM[failed.originalCode ?? ""] ?? SYSTEM[failed.code ?? ""] ?? UNKNOWN;
  return { text, isPermanent: false, isAddress: false };
}
