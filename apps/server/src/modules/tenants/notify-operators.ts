import type { Tx } from "@turnpike/db/client";
import { listOperatorEmails } from "#modules/identity/index.ts";
import { sendMail } from "#modules/notifications/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import type { NotifyDeps } from "./notify-members.ts";

const MAILS_MAX = 50;

/**
 * Notifies operators of something that concerns the installation rather than a tenant: in the log, and by mail at their
 * verified addresses when a mail server is configured, if the caller's transaction commits. Needs the operator role.
 */
export async function notifyOperators(
  deps: NotifyDeps & Pick<AppServices, "logger">,
  tx: Tx,
  input: { kind: string; subject: string; title: string; body: string },
): Promise<void> {
  const { kind, subject, title, body } = input;
  deps.logger.warn({ kind, title }, "Operators are notified");
  if (!deps.notices.sendsMail) {
    return;
  }
  for (const to of await listOperatorEmails(tx, MAILS_MAX)) {
    await sendMail(deps, tx, {
      to,
      kind,
      subject: `${deps.notices.brandName}: ${subject}`,
      content: [
        { kind: "title", text: title },
        { kind: "paragraph", text: body },
      ],
    });
  }
}
