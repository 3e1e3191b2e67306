import { said } from "@turnpike/domain/text/said";
import type { MemberNotice } from "../mail-members.ts";

/** Words of the notice that an operator acts in a tenant. */
export function toActingNotice(reason: string): MemberNotice {
  return {
    kind: "acting.started",
    subject: said("an operator acts in your tenant"),
    title: "An operator acts in your tenant",
    body: `The operator of this installation makes changes in your tenant, for an hour at most. Their reason: “${reason}” The audit log shows each change.`,
    link: "/tenants?tab=audit",
  };
}
