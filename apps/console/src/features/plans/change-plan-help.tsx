import { toContactHref } from "./plans.view-model.ts";

export type ChangePlanHelpProps = {
  brandName: string;
  /** An e-mail address or a web address; null when the operator set no contact. */
  contact: string | null;
};

/** How a tenant changes its plan, with a link to the operator's contact. */
export function ChangePlanHelp({ brandName, contact }: ChangePlanHelpProps) {
  const href = contact === null ? undefined : toContactHref(contact);
  return (
    <p className="mt-6 max-w-[72ch] text-ink-muted">
      To change plans,{" "}
      {href === undefined ? (
        `contact ${brandName}`
      ) : (
        <a href={href} className="font-medium text-ink underline underline-offset-4">
          contact {brandName}
        </a>
      )}
      . A change takes effect within a second, and usage in this period carries over.
    </p>
  );
}
