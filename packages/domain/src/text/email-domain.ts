const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;
const LENGTH_MAX = 253;

/** True for the domain of an e-mail address, in lower case and ASCII (RFC 1035): at least two labels, the last no number. */
export function isEmailDomain(text: string): boolean {
  const labels = text.split(".");
  return (
    text.length <= LENGTH_MAX &&
    labels.length >= 2 &&
    labels.every((label) => LABEL.test(label)) &&
    !/^\d+$/.test(labels.at(-1) ?? "")
  );
}

/** The part of an e-mail address after the last `@`, in lower case; `undefined` when there is none. */
export function emailDomainOf(email: string): string | undefined {
  const domain = email.slice(email.lastIndexOf("@") + 1).toLowerCase();
  return email.includes("@") && isEmailDomain(domain) ? domain : undefined;
}
