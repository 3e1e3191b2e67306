import { isStorableText } from "@turnpike/domain/text/storable-text";

const NAME_LENGTH_MAX = 255;

/** True for what a token may call a person, a session or itself. */
export function isName(value: unknown): value is string {
  return (
    typeof value === "string" &&
    value.length > 0 &&
    value.length <= NAME_LENGTH_MAX &&
    isStorableText(value)
  );
}

/** The session that an ID token names by `sid`; undefined when it names none. */
export function toSessionId(sid: unknown): string | undefined {
  return isName(sid) ? sid : undefined;
}
