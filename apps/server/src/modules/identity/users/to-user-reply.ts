import type { SignedInUser } from "@turnpike/contract/auth";
import type { UserRow } from "./users.store.ts";

/** @param isOperator - According to the table or the configuration. */
export function toSignedInUser(row: UserRow, isOperator: boolean): SignedInUser {
  return {
    userId: row.user_id,
    email: row.email,
    emailVerified: row.email_verified,
    name: row.name,
    isOperator,
  };
}
