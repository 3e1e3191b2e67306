/** What a mail server objects to. */
export type MailObjection =
  /** The mailbox does not exist any more, or never did: no later mail can arrive. */
  "address" | "mailbox_full" | "sender" | "sign_in" | "message" | "policy" | "server";

export type MailAnswer = {
  /** True for replies of class 5: no later attempt of the same mail can succeed. */
  isPermanent: boolean;
  objection: MailObjection;
  /** One plain sentence, without anything that the server wrote. */
  text: string;
};

/** Where in the exchange a server answered. Without its place, an answer is about the mail as a whole. */
export type MailStep = "connect" | "sign_in" | "sender" | "recipient" | "message";

type Meaning = readonly [objection: MailObjection, text: string];

/** Enhanced status codes (RFC 3463 and its registry) by subject and detail, without their class. */
const ENHANCED: Readonly<Record<string, Meaning>> = {
  "1.0": ["address", "Something is wrong with the address."],
  "1.1": ["address", "There is no such mailbox."],
  "1.2": ["address", "The domain of the address does not exist or takes no mail."],
  "1.3": ["address", "The address is not written as the server expects."],
  "1.4": ["message", "The address leads to several mailboxes."],
  "1.6": ["address", "The mailbox has moved, and its new address is not known."],
  "1.7": ["sender", "The server does not accept how the sender's address is written."],
  "1.8": ["sender", "The server does not know the domain of the sender's address."],
  "1.10": ["address", "The domain of the address takes no mail."],
  "2.0": ["message", "Something is wrong with the mailbox."],
  "2.1": ["address", "The mailbox is disabled."],
  "2.2": ["mailbox_full", "The mailbox is full."],
  "2.3": ["message", "The mail is larger than the mailbox allows."],
  "3.1": ["server", "The server has no room for mails."],
  "3.2": ["server", "The server takes no mails at the moment."],
  "3.4": ["message", "The mail is larger than the server allows."],
  "4.1": ["server", "The recipient's server does not answer."],
  "4.2": ["server", "The connection to the recipient's server was lost."],
  "4.3": ["server", "The way to the recipient's server cannot be looked up."],
  "4.4": ["server", "There is no way to the recipient's server."],
  "4.5": ["server", "The server has too much to do."],
  "4.6": ["server", "The mail goes round in circles between servers."],
  "4.7": ["server", "The server tried for too long."],
  "5.3": ["server", "There are too many recipients at once."],
  "6.0": ["message", "The server does not accept the content of the mail."],
  "7.0": ["policy", "The rules of the server forbid the mail."],
  "7.1": ["policy", "The rules of the server forbid mail from this sender or to this address."],
  "7.8": ["sign_in", "The user or the password for the mail server is wrong."],
  "7.9": ["sign_in", "The mail server wants another way to sign in."],
  "7.20": ["sender", "The mail has no DKIM signature that the server accepts."],
  "7.21": ["sender", "The DKIM signature is not of a domain that the server accepts."],
  "7.22": ["sender", "The DKIM signature is not of the sender's domain."],
  "7.23": ["sender", "SPF does not allow the mail server to send for the sender's domain."],
  "7.24": ["sender", "The SPF record of the sender's domain cannot be checked."],
  "7.25": ["sender", "The address of the mail server has no name in the DNS that fits."],
  "7.26": ["sender", "Neither SPF nor DKIM vouches for the sender's domain."],
  "7.27": ["sender", "The sender's domain takes no mail itself."],
};

/** For servers that name the subject alone, or a detail of their own. */
const BY_SUBJECT: Readonly<Record<string, Meaning>> = {
  "1": ["message", "The server does not accept the address."],
  "2": ["message", "The mailbox takes no mails at the moment."],
  "3": ["server", "The server cannot take the mail."],
  "4": ["server", "The mail cannot reach the recipient's server."],
  "5": ["server", "The servers do not understand each other."],
  "6": ["message", "The server does not accept the content of the mail."],
  "7": ["policy", "The rules of the server forbid the mail."],
};

/** Plain reply codes (RFC 5321), whose meaning depends on the step. */
function ofCode(code: number, step: MailStep | undefined): Meaning {
  if (step === "sign_in" || code === 530 || code === 534 || code === 535 || code === 538) {
    return ["sign_in", "The mail server does not accept the user or the password."];
  }
  if (step === "sender") {
    return ["sender", "The mail server does not accept the sender's address."];
  }
  switch (code) {
    case 421:
      return ["server", "The server closes the connection; it may have too much to do."];
    case 450:
      return ["server", "The mailbox takes no mails at the moment, or the server asks to wait."];
    case 452:
    case 431:
      return ["server", "The server has no room for the mail."];
    case 552:
      return ["mailbox_full", "The mailbox is full, or the mail is too large."];
    case 550:
    case 551:
    case 553:
      return step === "recipient"
        ? ["address", "The server knows no such mailbox."]
        : ["policy", "The server refuses the mail."];
    default:
      return code >= 500
        ? ["policy", "The server refuses the mail."]
        : ["server", "The server asks to try again later."];
  }
}

const REPLY = /(?<![\d.])([45]\d\d)(?:[ -]#?([245])\.(\d{1,3})\.(\d{1,3})(?![\d.]))?/;
const STATUS = /(?<![\d.])([245])\.(\d{1,3})\.(\d{1,3})(?![\d.])/;

function ofStatus(subject: string, detail: string): Meaning | undefined {
  return ENHANCED[`${Number(subject)}.${Number(detail)}`] ?? BY_SUBJECT[String(Number(subject))];
}

/**
 * Says in plain words what the reply of a mail server means, such as `550 5.1.1 no such user`. An enhanced status code
 * (RFC 3463) says more than the plain one and is believed first; 5.7.0 of a plain 550 is a matter of rules, not of the address.
 *
 * @returns Undefined for a text that holds no refusal.
 */
export function explainAnswer(answer: string, step?: MailStep): MailAnswer | undefined {
  const [, code = "", , subject, detail] = REPLY.exec(answer) ?? [];
  if (code === "") {
    return;
  }
  const meaning = subject === undefined ? undefined : ofStatus(subject, detail ?? "");
  const [objection, text] = meaning ?? ofCode(Number(code), step);
  return { isPermanent: code.startsWith("5"), objection, text };
}

/** The same for the status of a delivery report (RFC 3464), such as `5.1.1`. */
export function explainStatus(status: string): MailAnswer | undefined {
  const [, klass, subject = "", detail = ""] = STATUS.exec(status) ?? [];
  if (klass === undefined || klass === "2") {
    return;
  }
  const [objection, text] = ofStatus(subject, detail) ?? ["server", "The mail was not delivered."];
  return { isPermanent: klass === "5", objection, text };
}
