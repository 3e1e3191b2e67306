import { t } from "@lingui/core/macro";

/** Form errors by JSON pointer (RFC 6901) into the request, whether found here or by the server. */
export type DraftErrors = Readonly<Record<string, string>>;

/** The error of a field, or the first error inside it. Undefined if there is none. */
export function errorAt(errors: DraftErrors, pointer: string): string | undefined {
  const below = Object.keys(errors).find((one) => one === pointer || one.startsWith(`${pointer}/`));
  return below === undefined ? undefined : errors[below];
}

const PLACES: Readonly<Record<string, string>> = {
  name: t`Name`,
  environment: t`Environment`,
  expiresAt: t`Expiry`,
  scopes: t`Scopes`,
  allowedNetworks: t`Networks`,
  rateLimits: t`Rate limit`,
  quotas: t`Quota`,
  concurrency: t`Calls at once`,
  metadata: t`Metadata`,
};
const PARTS: Readonly<Record<string, string>> = {
  "rateLimits/name": "name",
  "rateLimits/limit": "calls",
  "rateLimits/windowSeconds": "window",
  "quotas/meter": "meter",
  "quotas/limit": "units",
};

/** Each message once, in form order, after the name of its field: "Quota 1, units: Enter the number of units." */
export function listErrors(errors: DraftErrors): string[] {
  return [
    ...new Set(
      Object.entries(errors).map(([pointer, message]) => {
        const place = toPlace(pointer);
        return place === undefined ? message : `${place}: ${message}`;
      }),
    ),
  ];
}

/** The form's name for a pointer into the request; undefined for one that the form does not have. */
function toPlace(pointer: string): string | undefined {
  const [, field = "", row, part] = pointer.split("/");
  const place = PLACES[field];
  if (place === undefined || row === undefined || row === "") {
    return place;
  }
  if (field === "metadata") {
    return `${place} ${row.replaceAll("~1", "/").replaceAll("~0", "~")}`;
  }
  if (field === "rateLimits" || field === "quotas") {
    const name = PARTS[`${field}/${part ?? ""}`];
    return t`${place} ${String(Number(row) + 1)}${name === undefined ? "" : `, ${name}`}`;
  }
  return place;
}
