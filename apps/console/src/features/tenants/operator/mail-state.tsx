import { Badge } from "@turnpike/ui/badge";
import type { Mail } from "../tenants.queries.ts";
import { toMailState } from "./mail.view-model.ts";

/** The state of an e-mail. */
export function MailState({ mail }: { mail: Mail }) {
  const { tone, label } = toMailState(mail);
  return <Badge tone={tone}>{label}</Badge>;
}
