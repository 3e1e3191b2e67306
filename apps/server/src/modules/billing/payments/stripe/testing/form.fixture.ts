/** Values of a request body: texts, and what brackets in names make of them. */
export type Form = { [name: string]: string | Form };

/** Reads `a[b][0]=c` as Stripe's API does: `{ a: { b: { "0": "c" } } }`. */
export function readForm(text: string): Form {
  const form: Form = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const path = name.split(/[[\]]+/).filter((part) => part !== "");
    let at = form;
    for (const [index, part] of path.entries()) {
      if (index === path.length - 1) {
        at[part] = value;
        break;
      }
      const next = at[part];
      const inner: Form = typeof next === "object" ? next : {};
      at[part] = inner;
      at = inner;
    }
  }
  return form;
}

export const textOf = (form: Form, name: string): string | undefined => {
  const value = form[name];
  return typeof value === "string" ? value : undefined;
};
export const formOf = (form: Form, name: string): Form => {
  const value = form[name];
  return typeof value === "object" ? value : {};
};
/** Texts of a list, or of metadata. */
export const textsOf = (form: Form): Record<string, string> =>
  Object.fromEntries(
    Object.entries(form).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
