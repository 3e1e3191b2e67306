import type { MemberNotice } from "#modules/tenants/index.ts";

/**
 * Words of the notice of what is left of credit.
 *
 * @param share - That is left, in percent; undefined below a sum.
 * @param left - With its currency.
 */
export function toCreditNotice(
  share: number | undefined,
  left: string,
): Pick<MemberNotice, "subject" | "title" | "body"> {
  const more = "Add credit, or let it be bought by itself, so that calls go on.";
  if (share === 0) {
    return {
      subject: "Your credit is used up",
      title: "The credit is used up",
      body: "Calls that credit does not pay for are refused. They pass again as soon as credit is added.",
    };
  }
  return share === undefined
    ? {
        subject: `${left} of your credit is left`,
        title: `${left} of credit is left`,
        body: ["This is less than the sum that you wanted to hear of.", more].join(" "),
      }
    : {
        subject: `${String(share)}% of your credit is left`,
        title: `${String(share)}% of the credit is left`,
        body: [`${left} is left.`, more].join(" "),
      };
}
