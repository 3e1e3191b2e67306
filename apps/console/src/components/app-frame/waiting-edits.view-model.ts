import { plural, t } from "@lingui/core/macro";
import type { Delivery } from "#platform/documents/documents.ts";
import { toErrorMessage } from "#platform/error-message.ts";

/** What the frame says about the network and what waits for it; undefined when there is nothing to say. */
export function toStripText(isOnline: boolean, waiting: number): string | undefined {
  const changes = `${String(waiting)} ${plural(waiting, { one: "change waits", other: "changes wait" })}`;
  if (!isOnline) {
    return waiting === 0
      ? t`You are offline: what you see may be old.`
      : t`You are offline. ${changes} in this browser.`;
  }
  return waiting === 0 ? undefined : t`${changes} to be sent.`;
}

/** What a person must know after what waited was sent. */
export function listDeliveryNotices({ conflicts, refused }: Delivery): string[] {
  const fields = conflicts.map(({ path }) => path.join(".") || t`a deletion`);
  return [
    ...(fields.length === 0
      ? []
      : [t`Someone else changed the same meanwhile (${fields.join(", ")}). The newer is kept.`]),
    ...refused.map(({ cause }) => t`A change could not be saved: ${toErrorMessage(cause)}`),
  ];
}
