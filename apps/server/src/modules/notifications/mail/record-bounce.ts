import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import { AppError } from "@turnpike/domain/errors/app-error";
import { isId } from "@turnpike/domain/ids/ids";
import { parseDeliveryReport } from "@turnpike/domain/mail/delivery-report";
import { toPlainLine } from "@turnpike/domain/text/plain-text";
import { writeAudit } from "#modules/audit/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { findMail, recordMailBounced } from "./mails.store.ts";
import { putRefusedAddress } from "./refused-addresses.store.ts";

const ANSWER_LENGTH_MAX = 500;

type Recorded = { mailId: string | null; isAddressRefused: boolean; explanation: string };

/** What is not about a mail of ours changes nothing: mailboxes for bounces get such mail from strangers, too. */
function ignore(explanation: string): Recorded {
  return { mailId: null, isAddressRefused: false, explanation };
}

/**
 * Records that a mail came back after a server had taken it. The report names the mail by its Message-ID, and counts only for the
 * address that the mail went to: a forged one needs a mail that its forger received, and concerns no one else.
 *
 * @throws {AppError} `INSUFFICIENT_SCOPE`; `INVALID_REQUEST` for what is no delivery report.
 */
export async function recordBounce(
  deps: Pick<AppServices, "transact" | "clock" | "newId">,
  context: CallContext,
  input: { report: string },
): Promise<Recorded> {
  assertMay(context.actor, "outbox:write");
  const report = parseDeliveryReport(input.report);
  if (report === undefined) {
    const message = "Not a delivery report (RFC 3464).";
    throw new AppError({
      code: "INVALID_REQUEST",
      publicMessage: message,
      errors: [{ pointer: "/report", message }],
    });
  }
  const mailId = report.messageId.split("@", 1)[0] ?? "";
  if (!isId("mail", mailId)) {
    return ignore("The report is about a mail that was not sent from here.");
  }
  return await deps.transact.asOperator(async (tx) => {
    const mail = await findMail(tx, mailId);
    const address = mail?.recipient.toLowerCase();
    const failed = report.failed.find((recipient) => recipient.address === address);
    if (mail === undefined || address === undefined || failed === undefined) {
      return ignore("The report is about no mail that is kept here and failed.");
    }
    const { isPermanent, objection, text: explanation } = failed.meaning;
    const isAddressRefused = isPermanent && objection === "address";
    const answer = toPlainLine(
      failed.answer.replaceAll(mail.recipient, "the recipient"),
      ANSWER_LENGTH_MAX,
    );
    if ((await recordMailBounced(tx, mailId, { error: answer, explanation })) === undefined) {
      return ignore("The mail was not sent, or is known to have come back.");
    }
    if (isAddressRefused) {
      await putRefusedAddress(tx, { address, explanation, answer, refused_at: deps.clock.now() });
    }
    await writeAudit(deps, tx, context, {
      tenantId: null,
      action: "mail.bounced",
      entityType: "mail",
      entityId: mailId,
      details: { isAddressRefused },
    });
    return { mailId, isAddressRefused, explanation };
  });
}
