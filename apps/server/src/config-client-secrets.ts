import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { z } from "zod";
import type { Mistake } from "./config-file.ts";

/** What RFC 6749 lets a secret consist of. */
const SECRET = /^[\x20-\x7e]{8,512}$/;

/** `id=secret`, separated by commas or spaces: the secrets of providers, by the id of the provider. */
const clientSecrets = z
  .string()
  .transform((text) =>
    text
      .split(/[\s,]+/)
      .filter((part) => part !== "")
      .map((part) => {
        const at = part.indexOf("=");
        return [part.slice(0, Math.max(at, 0)), part.slice(at + 1)] as const;
      }),
  )
  .refine(
    (pairs) => pairs.every(([id, secret]) => id !== "" && SECRET.test(secret)),
    "Pairs such as google=GOCSPX-…, the id of a provider and its secret, separated by commas.",
  )
  .transform((pairs): Readonly<Record<string, string>> => Object.fromEntries(pairs));

/** The variable of the environment. */
export const clientSecretVariables = { TURNPIKE_CLIENT_SECRETS: clientSecrets.optional() };

/** @returns Undefined where there is no secret of a plausible length. */
export function readSecret(path: string): string | undefined {
  try {
    // Editors end a file with a line break, which is no part of the secret.
    const secret = readFileSync(path, "utf8").trim();
    return SECRET.test(secret) ? secret : undefined;
  } catch {
    return;
  }
}

/** Says what is wrong with a file before anything starts, and never what is in it. */
export function checkSecretFile(path: string): string | undefined {
  return readSecret(path) === undefined
    ? "Must be a readable file that holds one secret of 8 to 512 plain characters."
    : undefined;
}

type Provider = { id: string; clientSecretFile?: string | undefined };

/** A secret for a provider that does not exist, or that has a file as well, is a mistake that would not be noticed. */
export function findStraySecrets(
  given: Readonly<Record<string, string>> | undefined,
  providers: readonly Provider[] | undefined,
): Mistake[] {
  if (given === undefined || providers === undefined) {
    return [];
  }
  return Object.keys(given).flatMap((id) => {
    const provider = providers.find((other) => other.id === id);
    if (provider !== undefined && provider.clientSecretFile === undefined) {
      return [];
    }
    const message =
      provider === undefined
        ? "Names a provider that identity.providers does not have."
        : "Has a secret for a provider that has a clientSecretFile: keep one of them.";
    return [{ place: "TURNPIKE_CLIENT_SECRETS", message }];
  });
}

/** The secrets of all providers that have one, by id. */
export function toClientSecrets(
  given: Readonly<Record<string, string>> | undefined,
  { providers, folder }: { providers: readonly Provider[]; folder: string },
): Readonly<Record<string, string>> {
  const fromFiles = providers.flatMap(({ id, clientSecretFile }) => {
    const secret =
      clientSecretFile === undefined ? undefined : readSecret(resolve(folder, clientSecretFile));
    return secret === undefined ? [] : [[id, secret] as const];
  });
  return { ...given, ...Object.fromEntries(fromFiles) };
}
