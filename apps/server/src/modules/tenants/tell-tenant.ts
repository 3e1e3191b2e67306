import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { notify, sendMail } from "#modules/notifications/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import type { JobQueue } from "#platform/job-queue.ts";
import { listCaretakerEmails } from "./members.store.ts";

/** How mails that tell of something are written. */
export type NoticeSettings = {
  /** Without a mail server people are told in the console alone. */
  sendsMail: boolean;
  brandName: string;
  /** Without a slash at the end; undefined where none is configured. */
  consoleUrl: string | undefined;
};

export type TellDeps = Pick<AppServices, "clock" | "newId"> & {
  jobs: JobQueue;
  notices: NoticeSettings;
};

/** Nobody has more owners and admins who all must hear of it by mail. */
const MAILS_MAX = 50;

/**
 * Tells the members of a tenant of something in the console, and its owners and admins by mail at their verified addresses
 * when a mail server is configured: if and only if the caller's transaction commits, which must be one of the operator role.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` when there is no such tenant.
 */
export async function tellTenant(
  deps: TellDeps,
  tx: Tx,
  input: { tenantId: TenantId; kind: string; title: string; body: string; link: string },
): Promise<void> {
  await notify(deps, tx, input);
  const { sendsMail, brandName, consoleUrl } = deps.notices;
  if (!sendsMail) {
    return;
  }
  const where = consoleUrl === undefined ? "" : `\n\n${consoleUrl}${input.link}`;
  for (const to of await listCaretakerEmails(tx, input.tenantId, MAILS_MAX)) {
    await sendMail(deps, tx, {
      to,
      kind: input.kind,
      subject: `${brandName}: ${input.title}`,
      text: `${input.body}${where}`,
    });
  }
}
