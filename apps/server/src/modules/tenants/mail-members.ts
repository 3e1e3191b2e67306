import type { Tx } from "@turnpike/db/client";
import type { Role } from "@turnpike/domain/access/scopes";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { sendMail } from "#modules/notifications/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import type { JobQueue } from "#platform/job-queue.ts";
import { listRoleEmails } from "./members.store.ts";
import { findTenantRow } from "./tenants.store.ts";

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

/** Nobody has more members who all must hear of it by mail. */
const MAILS_MAX = 50;

/** Whoever belongs to several tenants comes to the one that is meant. */
function toLinkOf(link: string, slug: string | undefined): string {
  return slug === undefined
    ? link
    : `${link}${link.includes("?") ? "&" : "?"}tenant=${encodeURIComponent(slug)}`;
}

/**
 * Mails the members of a tenant who have one of the roles, at their verified addresses: if and only if the caller's
 * transaction commits, which must be one of the operator role. Without a mail server nobody is mailed: what tells of
 * something is in the console too, and an outbox that nobody sends is for what has no other way.
 *
 * @param input.link - A path of the console, written with its address where that is known.
 */
export async function mailMembers(
  deps: TellDeps,
  tx: Tx,
  input: {
    tenantId: TenantId;
    roles: readonly Role[];
    kind: string;
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
  const name = tenant === undefined ? "" : `\n\nTenant: ${tenant.name}`;
  const where =
    consoleUrl === undefined ? "" : `\n\n${consoleUrl}${toLinkOf(input.link, tenant?.slug)}`;
  for (const to of await listRoleEmails(tx, input.tenantId, input.roles, MAILS_MAX)) {
    await sendMail(deps, tx, {
      to,
      kind: input.kind,
      subject: `${brandName}: ${input.title}`,
      text: `${input.body}${name}${where}`,
    });
  }
}
