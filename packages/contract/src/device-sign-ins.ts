import { isId } from "@turnpike/domain/ids/ids";
import { z } from "zod";
import { signedInUser } from "./auth.ts";
import { operation } from "./operation.ts";
import { instant, plainText } from "./shapes.ts";

/** Letters that make no words and are not taken for one another. */
export const USER_CODE_ALPHABET = "BCDFGHJKLMNPQRSTVWXZ";
export const USER_CODE_LENGTH = 8;

/** As a person types it: case, dashes and spaces do not matter. */
const userCode = plainText(40).meta({
  description: "The code that the command line shows.",
  examples: ["BCDF-GHJK"],
});

/** A command line that asks to be signed in. */
export const deviceSignIn = z.strictObject({
  /** As the command line names itself. */
  name: z.string(),
  /** The address that it asked from. */
  address: z.string(),
  createdAt: instant,
  expiresAt: instant,
});
export type DeviceSignIn = z.infer<typeof deviceSignIn>;

const personTokenId = z
  .string()
  .refine((value) => isId("personToken", value), {
    error:
      "Not the id of a signed-in command line; it looks like ptk_0199f3b0c1d27a4e8f60112233445566.",
  })
  .meta({ examples: ["ptk_0199f3b0c1d27a4e8f60112233445566"] });

export const personToken = z.strictObject({
  personTokenId,
  name: z.string(),
  /** Prefix and first characters: safe to show. */
  start: z.string(),
  createdAt: instant,
  expiresAt: instant,
});
export type PersonToken = z.infer<typeof personToken>;

/** The most command lines of one person that are signed in; beyond that the oldest is signed out. */
export const PERSON_TOKENS_MAX = 20;

const tags = ["Sign-in"];

/** The person's side of a device sign-in (RFC 8628). The program's side is `/device/authorize` and `/device/token`. */
export const deviceSignInsContract = {
  view: operation({ scope: "person", worksWhenFull: true })
    .route({
      method: "POST",
      path: "/device-sign-ins/view",
      summary: "Show which command line a code is of, before it is allowed",
      description: "From then on only the person who looked may decide on it.",
      tags,
    })
    .input(z.strictObject({ userCode }))
    .output(deviceSignIn),
  decide: operation({ scope: "person" })
    .route({
      method: "POST",
      path: "/device-sign-ins/decision",
      summary: "Allow or deny a command line to act as the person",
      tags,
    })
    .input(z.strictObject({ userCode, decision: z.enum(["allow", "deny"]) }))
    .output(z.strictObject({ name: z.string() })),
};

/** Command lines that act as the person. */
export const personTokensContract = {
  whoami: operation({ scope: "person" })
    .route({ method: "GET", path: "/me", summary: "Get the person behind the credential", tags })
    .input(z.strictObject({}))
    .output(signedInUser),
  list: operation({ scope: "person" })
    .route({
      method: "GET",
      path: "/person-tokens",
      summary: "List the command lines that are signed in as the person, newest first",
      tags,
    })
    .input(z.strictObject({}))
    .output(z.strictObject({ items: z.array(personToken).max(PERSON_TOKENS_MAX) })),
  revoke: operation({ scope: "person", worksWhenFull: true })
    .route({
      method: "POST",
      path: "/person-tokens/revoke",
      summary: "Sign a command line out",
      tags,
    })
    .input(z.strictObject({ personTokenId }))
    .output(personToken),
};
