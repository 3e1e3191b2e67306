import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { toContactHref } from "./plans.view-model.ts";

export type ChangePlanHelpProps = {
  brandName: string;
  /** An e-mail address or a web address; null when the operator set no contact. */
  contact: string | null;
};

/** Where to ask for what no offered plan has, with a link to the operator's contact. */
export function ChangePlanHelp({ brandName, contact }: ChangePlanHelpProps) {
  const href = contact === null ? undefined : toContactHref(contact);
  return (
    <p className="mt-6 max-w-[72ch] text-ink-muted">
      <Trans>
        For another plan, or a question about a price,{" "}
        {href === undefined ? (
          t`contact ${brandName}`
        ) : (
          <a href={href} className="font-medium text-ink underline underline-offset-4">
            <Trans>contact {brandName}</Trans>
          </a>
        )}
        . The limits of a new plan apply within a second of its start.
      </Trans>
    </p>
  );
}
