import type { Tx } from "@turnpike/db/client";
import type { Role } from "@turnpike/domain/access/scopes";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { MailContent } from "@turnpike/domain/mail/mail-content";
import { said } from "@turnpike/domain/text/said";
import { sendMail } from "#modules/notifications/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import type { JobQueue } from "#platform/job-queue.ts";
import { listRoleEmails } from "./members.store.ts";
import { findTenantRow } from "./tenants.store.ts";

/** How notification mails are written. */
export type NoticeSettings = {
  /** False without a mail server: notifications then appear in the console alone. */
  sendsMail: boolean;
  brandName: string;
  /** Without a trailing slash; undefined when none is configured. */
  consoleUrl: string | undefined;
};

export type NotifyDeps = Pick<AppServices, "clock" | "newId"> & {
  jobs: JobQueue;
  notices: NoticeSettings;
};

/** Enough for every tenant in practice; it bounds what one event can send. */
const MAILS_MAX = 50;

/** Names the tenant in the link, for people who belong to several. */
function toLinkOf(link: string, slug: string | undefined): string {
  return slug === undefined
    ? link
    : `${link}${link.includes("?") ? "&" : "?"}tenant=${encodeURIComponent(slug)}`;
}

/**
 * Mails the members of a tenant who have one of the roles, at their verified addresses, if the caller's transaction commits.
 * Needs the operator role. Without a mail server it does nothing: the console shows the same notification, and the outbox is
 * only for mails that have no other way.
 *
 * @param input.subject - Without a name that people chose: a subject is read as ours.
 * @param input.link - A path of the console. The mail has the full address when `consoleUrl` is known.
 */
export async function mailMembers(
  deps: NotifyDeps,
  tx: Tx,
  input: {
    tenantId: TenantId;
    roles: readonly Role[];
    kind: string;
    subject: string;
    title: string;
    body: string;
    link: string;
  },
): Promise<void> {
  const { sendsMail, brandName, consoleUrl } = deps.notices;
  if (!sendsMail) {
    return;
  }
  const tenant = await findTenantRow(tx, input.tenantId);
  const content: MailContent = [
    { kind: "title", text: input.title },
    { kind: "paragraph", text: input.body },
    ...(tenant === undefined
      ? []
      : [{ kind: "facts" as const, facts: [[said("Tenant"), tenant.name, "people"] as const] }]),
    ...(consoleUrl === undefined
      ? []
      : [
          {
            kind: "link" as const,
            label: "Open the console",
            address: `${consoleUrl}${toLinkOf(input.link, tenant?.slug)}`,
          },
        ]),
  ];
  for (const to of await listRoleEmails(tx, input.tenantId, input.roles, MAILS_MAX)) {
    await sendMail(deps, tx, {
      to,
      tenantId: input.tenantId,
      kind: input.kind,
      subject: `${brandName}: ${input.subject}`,
      content,
    });
  }
}
