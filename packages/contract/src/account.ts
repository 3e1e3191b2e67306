import { ROLES } from "@turnpike/domain/access/scopes";
import { isId } from "@turnpike/domain/ids/ids";
import { LANGUAGES } from "@turnpike/domain/text/languages";
import { z } from "zod";
import { personToken } from "./device-sign-ins.ts";
import { operation } from "./operation.ts";
import { displayName, instant, plainText, tenantId } from "./shapes.ts";

/** The signed-in person's account, as they see it. */
export const ownAccount = z.strictObject({
  /** `builtin` has a password here; the account of a `provider` is changed there. */
  kind: z.enum(["builtin", "provider"]),
  /** What vouches for the person: the address of a provider; null for the built-in sign-in. */
  issuer: z.string().nullable(),
  email: z.string().nullable(),
  emailVerified: z.boolean(),
  name: z.string().nullable(),
  /** An address that takes effect once the link that was sent to it is followed. */
  pendingEmail: z.string().nullable(),
  /** In which the person reads the console and their mails; null until that is known, which is the installation's. */
  language: z.enum(LANGUAGES).nullable(),
  createdAt: instant,
});
export type OwnAccount = z.infer<typeof ownAccount>;

const signInId = z
  .string()
  .refine((value) => isId("signIn", value), {
    error: "Not the id of a sign-in; it looks like sin_0199f3b0c1d27a4e8f60112233445566.",
  })
  .meta({ examples: ["sin_0199f3b0c1d27a4e8f60112233445566"] });

/** A browser that is signed in as the person. */
export const signIn = z.strictObject({
  signInId,
  /** Such as `Firefox`, as the browser names itself; null when it does not. */
  browser: z.string().nullable(),
  /** Such as `Windows`. */
  system: z.string().nullable(),
  /** True for the browser that asks. */
  isThis: z.boolean(),
  createdAt: instant,
  /** When it last got a token: at least every quarter of an hour while it is used. */
  lastUsedAt: instant,
  /** Unless it gets a token until then. */
  expiresAt: instant,
});
export type SignIn = z.infer<typeof signIn>;

/** What signs the person in: the account with a password here, or one at a provider. */
export const ownIdentity = z.strictObject({
  /** The address of the provider; null for the built-in sign-in. */
  issuer: z.string().nullable(),
  /** As the provider last said. */
  email: z.string().nullable(),
  emailVerified: z.boolean(),
  /** True for the one that name and address of the account are from. */
  isFirst: z.boolean(),
  /** False for the account with a password here, and for the last way to sign in. */
  canDisconnect: z.boolean(),
  connectedAt: instant,
});
export type OwnIdentity = z.infer<typeof ownIdentity>;

/** The first identity, and one of each provider. */
export const IDENTITIES_MAX = 20;

const identities = z.strictObject({ items: z.array(ownIdentity).max(IDENTITIES_MAX) });

/** The most browsers in a list, those used last first. */
export const SIGN_INS_MAX = 200;

// Longer than a password may be: one that was pasted twice is wrong, not malformed.
const password = plainText(1_024).min(1);
const newEmail = plainText(320).trim().pipe(z.email("Not an e-mail address.").max(254));

/** A tenant that keeps its person from deleting the account: it would have no owner. */
const ownedTenant = z.strictObject({ tenantId, name: z.string(), slug: z.string() });

/** The most entries of each kind in an export, the newest first. */
export const EXPORTED_ROWS_MAX = 1_000;

export const accountExport = z.strictObject({
  exportedAt: instant,
  account: ownAccount,
  memberships: z.array(
    z.strictObject({ tenantId, name: z.string(), role: z.enum(ROLES), createdAt: instant }),
  ),
  signIns: z.array(signIn),
  identities: z.array(ownIdentity),
  commandLines: z.array(personToken),
  /** By kind, such as documents and what you did. */
  records: z.record(z.string(), z.array(z.record(z.string(), z.unknown()))),
  /** Kinds of which there is more than an export holds. */
  cutKinds: z.array(z.string()),
});
export type AccountExport = z.infer<typeof accountExport>;

const tags = ["Account"];

/** What people do with their own accounts. */
export const accountContract = {
  get: operation({ scope: "person" })
    .route({ method: "GET", path: "/me/account", summary: "Get your account", tags })
    .input(z.strictObject({}))
    .output(ownAccount),
  rename: operation({ scope: "person" })
    .route({ method: "POST", path: "/me/account/name", summary: "Change your name", tags })
    .input(z.strictObject({ name: displayName(100) }))
    .output(ownAccount),
  chooseLanguage: operation({ scope: "person" })
    .route({
      method: "POST",
      path: "/me/account/language",
      summary: "Choose the language of your mails",
      description:
        "The first language in which a browser signs in is kept until another one is chosen.",
      tags,
    })
    .input(z.strictObject({ language: z.enum(LANGUAGES) }))
    .output(ownAccount),
  changePassword: operation({ scope: "person", worksWhenFull: true })
    .route({
      method: "POST",
      path: "/me/account/password",
      successStatus: 204,
      summary: "Change your password",
      description:
        "Ends every other sign-in: browsers, command lines and agents. The browser that calls keeps its own, with a renewed token.",
      tags,
    })
    .input(z.strictObject({ currentPassword: password, password })),
  changeEmail: operation({ scope: "person" })
    .route({
      method: "POST",
      path: "/me/account/email",
      successStatus: 202,
      summary: "Ask for another e-mail address",
      description: "It takes effect once the link that is sent to it is followed.",
      tags,
    })
    .input(z.strictObject({ email: newEmail, currentPassword: password }))
    .output(ownAccount),
  sendConfirmation: operation({ scope: "person" })
    .route({
      method: "POST",
      path: "/me/account/confirmation",
      successStatus: 202,
      summary: "Have the link that confirms your e-mail address sent again",
      tags,
    })
    .input(z.strictObject({}))
    .output(z.strictObject({ isSent: z.boolean() })),
  listSignIns: operation({ scope: "person" })
    .route({
      method: "GET",
      path: "/me/sign-ins",
      summary: "List the browsers that are signed in as you, those used last first",
      tags,
    })
    .input(z.strictObject({}))
    .output(z.strictObject({ items: z.array(signIn).max(SIGN_INS_MAX) })),
  endSignIn: operation({ scope: "person", worksWhenFull: true })
    .route({
      method: "POST",
      path: "/me/sign-ins/end",
      summary: "Sign a browser out",
      description:
        "It gets no token any more. The ID token that it has works for the rest of its 15 minutes.",
      tags,
    })
    .input(z.strictObject({ signInId }))
    .output(signIn),
  endSignIns: operation({ scope: "person", worksWhenFull: true })
    .route({
      method: "POST",
      path: "/me/sign-ins/end-all",
      successStatus: 204,
      summary: "Sign out everywhere: browsers, command lines and agents, within a second",
      tags,
    })
    .input(
      z.strictObject({
        /** True where the browser that calls stays signed in. */
        keepThis: z.boolean(),
      }),
    ),
  listIdentities: operation({ scope: "person" })
    .route({
      method: "GET",
      path: "/me/identities",
      summary: "List what signs you in: the first identity, then those that you connected",
      tags,
    })
    .input(z.strictObject({}))
    .output(identities),
  beginConnecting: operation({ scope: "person" })
    .route({
      method: "POST",
      path: "/me/identities/begin",
      successStatus: 204,
      summary: "Prove your account, before you sign in at a provider to connect it",
      description:
        "Takes the password, or for people of a provider a sign-in of the last five minutes. The sign-in at the provider must carry this nonce, and end within ten minutes.",
      tags,
    })
    .input(
      z.strictObject({
        /** Of the provider, in `/config.json`. */
        providerId: plainText(31).min(1),
        /** Of the authorization request, made at random. */
        nonce: z
          .string()
          .regex(/^[\w-]{22,128}$/, "22 to 128 letters, digits, dashes and underscores."),
        currentPassword: password.optional(),
      }),
    ),
  connectIdentity: operation({ scope: "person" })
    .route({
      method: "POST",
      path: "/me/identities",
      summary: "Connect the provider whose ID token this is",
      description:
        "An identity that belongs to another account is refused (`ALREADY_EXISTS`). No e-mail address connects anything.",
      tags,
    })
    .input(z.strictObject({ idToken: plainText(16_384).min(1) }))
    .output(identities),
  disconnectIdentity: operation({ scope: "person", worksWhenFull: true })
    .route({
      method: "POST",
      path: "/me/identities/disconnect",
      summary: "Disconnect a provider; not the last way to sign in",
      description: "Its earlier tokens are refused from then on.",
      tags,
    })
    .input(
      z.strictObject({
        /** As in the list. */
        issuer: plainText(500).min(1),
        currentPassword: password.optional(),
      }),
    )
    .output(identities),
  export: operation({ scope: "person" })
    .route({
      method: "GET",
      path: "/me/account/export",
      summary: "Get everything that is kept about you",
      description: `At most ${String(EXPORTED_ROWS_MAX)} entries of each kind, the newest first.`,
      tags,
    })
    .input(z.strictObject({}))
    .output(accountExport),
  getDeletion: operation({ scope: "person" })
    .route({
      method: "GET",
      path: "/me/account/deletion",
      summary: "Get what the deletion of your account needs",
      tags,
    })
    .input(z.strictObject({}))
    .output(
      z.strictObject({
        /** To be typed. */
        confirmation: plainText(320),
        needsPassword: z.boolean(),
        memberships: z.int(),
        /** Transfer or delete these first. */
        soleOwnerOf: z.array(ownedTenant),
      }),
    ),
  delete: operation({ scope: "person", worksWhenFull: true })
    .route({
      method: "POST",
      path: "/me/account/delete",
      successStatus: 204,
      summary: "Delete your account at once, with everything that signs in as you",
      description: "What you did for tenants stays in their trails under an id without a name.",
      tags,
    })
    .input(
      z.strictObject({
        confirmation: plainText(320),
        /** Of an account that is kept here. */
        currentPassword: password.optional(),
      }),
    ),
};
