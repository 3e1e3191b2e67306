import { type NewId, toId } from "@turnpike/domain/ids/ids";
import { v7 } from "uuid";

/** Mints ids from UUIDv7: unique without asking anybody, and sorted by the millisecond of their making. */
export const newUuidId: NewId = (kind) => toId(kind, v7());
