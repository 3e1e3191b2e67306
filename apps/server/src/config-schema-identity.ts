import { toFirebaseIssuer } from "@turnpike/domain/access/firebase-issuer";
import { z } from "zod";
import { isLoopbackHost } from "#platform/outbound.ts";
import { firebaseConfig } from "./config-firebase.ts";
import { cidr, hostName } from "./config-networks.ts";
import { providerChoices } from "./config-provider.ts";

/** Marks the built-in provider wherever providers are named; no other may take it. */
export const BUILTIN_PROVIDER_ID = "builtin";

const issuer = z
  .url({ protocol: /^https?$/, error: "An address such as https://login.example.com." })
  .max(500)
  .refine((value) => {
    // What is no address at all is said once.
    if (!URL.canParse(value)) {
      return true;
    }
    const { protocol, hostname, username, password, search, hash } = new URL(value);
    const isPlain = username === "" && password === "" && search === "" && hash === "";
    return isPlain && (protocol === "https:" || isLoopbackHost(hostname));
  }, "An https address without user, query or fragment; http only on this machine.");

const provider = z.strictObject({
  id: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,30}$/, "Lower-case letters, digits and dashes, 1 to 31.")
    .refine((value) => value !== BUILTIN_PROVIDER_ID, "The built-in provider has this id.")
    .describe("What links and the log call it."),
  name: z.string().trim().min(1).max(40).describe('What people read: "Continue with NAME".'),
  issuer: issuer.describe(
    "Its issuer, exactly as its tokens name it. Keys are found by its `/.well-known/openid-configuration`.",
  ),
  clientId: z
    .string()
    .min(1)
    .max(255)
    .describe(
      "The client registered there for the console: authorization code with PKCE, redirect to `<console>/login`; public, or with a client secret.",
    ),
  clientSecretFile: z
    .string()
    .min(1)
    .max(1_000)
    .optional()
    .describe(
      "File that holds the client's secret, where the provider demands one, as Google does; a relative path begins at this file. Or set `TURNPIKE_CLIENT_SECRETS`. Then the server trades codes for tokens.",
    ),
  ...providerChoices,
});

type Provider = { id: string; issuer: string };

function findTwin(providers: readonly Provider[], index: number): string | undefined {
  const own = providers[index];
  const before = providers.slice(0, index);
  if (before.some((other) => other.id === own?.id)) {
    return "Another provider has this id.";
  }
  return before.some((other) => other.issuer === own?.issuer)
    ? "Another provider has this issuer."
    : undefined;
}

/** The section `identity` of turnpike.yaml: who may vouch for people, and who of them are operators. */
export const identityConfig = z
  .strictObject({
    builtin: z
      .boolean()
      .default(true)
      .describe("Whether people may sign in with e-mail and password, kept by Turnpike itself."),
    passwordLengthMin: z
      .number()
      .int()
      .min(12)
      .max(64)
      .default(12)
      .describe("The shortest password that the built-in provider takes, in characters."),
    confirmEmail: z
      .enum(["auto", "always", "never"])
      .default("auto")
      .describe(
        "Whether an address must be confirmed by mail before its account works. `auto`: when `mail.smtp` is set.",
      ),
    secondFactor: z
      .enum(["optional", "operators", "everyone"])
      .default("optional")
      .describe(
        "People who must have a second factor, a passkey or an app for one-time codes, at the built-in provider. Others may set one up. People who must and have none set it up right after their password.",
      ),
    providers: z
      .array(provider)
      .max(10)
      .superRefine((providers, context) => {
        for (const index of providers.keys()) {
          const message = findTwin(providers, index);
          if (message !== undefined) {
            context.addIssue({ code: "custom", path: [index], message });
          }
        }
      })
      .default([])
      .describe("Further OpenID Connect providers whose ID tokens are trusted."),
    firebase: firebaseConfig
      .optional()
      .describe("Sign-in with Firebase Authentication, by its own client."),
    singleSignOn: z
      .strictObject({
        allowPrivate: z
          .array(
            cidr
              .or(hostName)
              .describe("An address, a range such as 10.0.0.0/8, or the name of a host."),
          )
          .max(100)
          .default([])
          .describe(
            "Identity providers of tenants that may be called although they are in a private network, by http too.",
          ),
        nameServers: z
          .array(z.string().min(1).max(100).describe("An address, with a port if it is not 53."))
          .max(10)
          .default([])
          .describe(
            "Name servers to ask for the records that prove a domain. Default: the system's.",
          ),
      })
      .prefault({})
      .describe("Single sign-on that tenants set up for their own people."),
    operators: z
      .array(z.email().max(320).describe("An e-mail address."))
      .max(100)
      .default([])
      .describe(
        "People who are operators by their e-mail address, if their provider says that it is verified. Others become operators by the setup link or by `turnpike operators add`.",
      ),
  })
  .refine(
    ({ builtin, providers, firebase }) => builtin || providers.length > 0 || firebase !== undefined,
    {
      path: ["providers"],
      message: "At least one provider while builtin is false: otherwise no one could sign in.",
    },
  )
  .refine(({ builtin, firebase }) => !builtin || firebase?.methods.includes("password") !== true, {
    path: ["firebase", "methods"],
    message:
      "There is one form for passwords: set builtin to false, or leave password out of the methods.",
  })
  .refine(
    ({ providers, firebase }) =>
      firebase === undefined ||
      providers.every(
        ({ id, issuer }) => id !== "firebase" && issuer !== toFirebaseIssuer(firebase.projectId),
      ),
    {
      path: ["firebase", "projectId"],
      message: "One of the providers has this project's issuer, or the id firebase.",
    },
  );
