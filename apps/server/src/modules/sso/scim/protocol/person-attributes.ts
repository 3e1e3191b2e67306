import {
  attributeOf,
  isObject,
  readBoolean,
  readEmails,
  readIdentifier,
  readLine,
} from "./read-attributes.ts";
import { ScimError } from "./scim-error.ts";

/** What is kept of a person. Everything else that a directory sends is ignored. */
export type PersonAttributes = {
  userName: string;
  externalId: string | null;
  displayName: string | null;
  formattedName: string | null;
  givenName: string | null;
  familyName: string | null;
  active: boolean;
  /** Null: the user name is the address. */
  email: string | null;
};

/** A body of `POST` or `PUT`. @throws {ScimError} */
export function parsePerson(body: unknown): PersonAttributes {
  if (!isObject(body)) {
    throw new ScimError(400, "The body must be a user.", { scimType: "invalidSyntax" });
  }
  const nameValue = attributeOf(body, "name");
  const name = isObject(nameValue) ? nameValue : {};
  const active = attributeOf(body, "active");
  return {
    userName: requireUserName(attributeOf(body, "userName")),
    externalId: readIdentifier(attributeOf(body, "externalId"), "externalId"),
    displayName: readLine(attributeOf(body, "displayName"), "displayName"),
    formattedName: readLine(attributeOf(name, "formatted"), "name.formatted"),
    givenName: readLine(attributeOf(name, "givenName"), "name.givenName"),
    familyName: readLine(attributeOf(name, "familyName"), "name.familyName"),
    active: active === undefined || active === null || readBoolean(active, "active"),
    email: readEmails(attributeOf(body, "emails")),
  };
}

/** @throws {ScimError} `invalidValue` when there is none: people are found by it. */
export function requireUserName(value: unknown): string {
  const userName = readIdentifier(value, "userName")?.trim() ?? "";
  if (userName === "") {
    throw new ScimError(400, "userName is missing.", { scimType: "invalidValue" });
  }
  return userName;
}
