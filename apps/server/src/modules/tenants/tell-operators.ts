import type { Tx } from "@turnpike/db/client";
import { listOperatorEmails } from "#modules/identity/index.ts";
import { sendMail } from "#modules/notifications/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import type { TellDeps } from "./tell-tenant.ts";

const MAILS_MAX = 50;

/**
 * Tells of something that concerns the installation and no tenant: in the log, and by mail the operators at their verified
 * addresses when a mail server is configured, if and only if the caller's transaction commits, which must be one of the
 * operator role.
 */
export async function tellOperators(
  deps: TellDeps & Pick<AppServices, "logger">,
  tx: Tx,
  input: { kind: string; title: string; body: string },
): Promise<void> {
  const { kind, title, body } = input;
  deps.logger.warn({ kind, title }, "operators are told");
  if (!deps.notices.sendsMail) {
    return;
  }
  for (const to of await listOperatorEmails(tx, MAILS_MAX)) {
    await sendMail(deps, tx, {
      to,
      kind,
      subject: `${deps.notices.brandName}: ${title}`,
      text: body,
    });
  }
}
