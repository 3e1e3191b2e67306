import { toPlainLine } from "@turnpike/domain/text/plain-text";
import { isStorableText } from "@turnpike/domain/text/storable-text";
import { invalidValue } from "./scim-error.ts";

const TEXT_LENGTH_MAX = 255;
const EMAIL_LENGTH_MAX = 254;

export type Attributes = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Attributes {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The attribute of an object. Names of attributes are compared without regard to case (RFC 7643, section 2.1). */
export function attributeOf(object: Attributes, name: string): unknown {
  const wanted = name.toLowerCase();
  const found = Object.entries(object).find(([key]) => key.toLowerCase() === wanted);
  return found?.[1];
}

/** A single value, which some directories wrap in an array or an object. */
function unwrap(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.length <= 1 ? unwrap(value[0]) : value;
  }
  return isObject(value) ? attributeOf(value, "value") : value;
}

/** An identifier, kept as it is; null when it is unassigned. */
export function readIdentifier(value: unknown, name: string): string | null {
  const text = unwrap(value);
  if (text === undefined || text === null || text === "") {
    return null;
  }
  const known = typeof text === "number" ? String(text) : text;
  if (typeof known !== "string" || known.length > TEXT_LENGTH_MAX || !isStorableText(known)) {
    throw invalidValue(`${name} must be a text of at most ${String(TEXT_LENGTH_MAX)} characters.`);
  }
  return known;
}

/** Text for people: one line, cut to a length that every screen bears; null when it is unassigned. */
export function readLine(value: unknown, name: string): string | null {
  const text = unwrap(value);
  if (text === undefined || text === null) {
    return null;
  }
  if (typeof text !== "string") {
    throw invalidValue(`${name} must be a text.`);
  }
  const line = toPlainLine(text, TEXT_LENGTH_MAX);
  return line === "" ? null : line;
}

/** Microsoft Entra ID sends booleans as text, with a capital. */
export function readBoolean(value: unknown, name: string): boolean {
  const raw = unwrap(value);
  const known = typeof raw === "string" ? raw.toLowerCase() : raw;
  if (known === true || known === "true") {
    return true;
  }
  if (known === false || known === "false") {
    return false;
  }
  throw invalidValue(`${name} must be true or false.`);
}

function readAddress(value: unknown): string | null {
  const text = isObject(value) ? attributeOf(value, "value") : value;
  if (text === undefined || text === null || text === "") {
    return null;
  }
  if (typeof text !== "string" || text.length > EMAIL_LENGTH_MAX || !text.includes("@")) {
    throw invalidValue("emails must hold e-mail addresses.");
  }
  return text.trim();
}

/** The address of a person: the primary one, else the one of work, else the first; null when there is none. */
export function readEmails(value: unknown): string | null {
  if (!Array.isArray(value)) {
    return readAddress(value);
  }
  const isPrimary = (one: unknown) =>
    isObject(one) && String(attributeOf(one, "primary")).toLowerCase() === "true";
  const isWork = (one: unknown) =>
    isObject(one) && String(attributeOf(one, "type")).toLowerCase() === "work";
  return readAddress(value.find(isPrimary) ?? value.find(isWork) ?? value[0]);
}
