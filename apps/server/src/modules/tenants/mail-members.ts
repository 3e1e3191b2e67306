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

/** A message to the members of a tenant, in the console and by mail. */
export type MemberNotice = {
  kind: string;
  /** Without a name that people chose: a subject is read as ours. */
  subject: string;
  title: string;
  body: string;
  /** A path of the console. */
  link: string;
};

/** Writes the mail of a notice. What is not known of its place is left out. */
export function toNoticeContent(
  { title, body, link }: Pick<MemberNotice, "title" | "body" | "link">,
  place: { tenant: { name: string; slug: string } | undefined; consoleUrl: string | undefined },
): MailContent {
  const { tenant, consoleUrl } = place;
  return [
    { kind: "title", text: title },
    { kind: "paragraph", text: body },
    ...(tenant === undefined
      ? []
      : [{ kind: "facts" as const, facts: [[said("Tenant"), tenant.name, "people"] as const] }]),
    ...(consoleUrl === undefined
      ? []
      : [
          {
            kind: "link" as const,
            label: "Open the console",
            address: `${consoleUrl}${toLinkOf(link, tenant?.slug)}`,
          },
        ]),
  ];
}

/**
 * Mails the members of a tenant who have one of the roles, at their verified addresses, if the caller's transaction commits.
 * Needs the operator role. Without a mail server it does nothing: the console shows the same notification, and the outbox is
 * only for mails that have no other way.
 *
 * The mail has the full address of its link when `consoleUrl` is known.
 */
export async function mailMembers(
  deps: NotifyDeps,
  tx: Tx,
  input: MemberNotice & { tenantId: TenantId; roles: readonly Role[] },
): Promise<void> {
  const { sendsMail, brandName, consoleUrl } = deps.notices;
  if (!sendsMail) {
    return;
  }
  const tenant = await findTenantRow(tx, input.tenantId);
  const content = toNoticeContent(input, { tenant, consoleUrl });
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
