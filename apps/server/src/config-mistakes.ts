import { resolve } from "node:path";
import { checkFontFile } from "#platform/check-font-file.ts";
import { checkPictureFile } from "#platform/check-picture-file.ts";
import { checkLegalFile } from "#platform/read-legal-file.ts";
import { checkOpenapiFile } from "#platform/read-openapi-file.ts";
import { checkMarkFile, findMarkPath } from "./config-brand.ts";
import { findCellMistakes } from "./config-cell.ts";
import { findClickHouseMistakes } from "./config-clickhouse.ts";
import { checkSecretFile, findStraySecrets } from "./config-client-secrets.ts";
import type { ParsedEnvironment } from "./config-environment.ts";
import type { Mistake } from "./config-file.ts";
import { findS3Mistakes } from "./config-files.ts";
import { findEmulatorMistake } from "./config-firebase.ts";
import { sendsKeyInClear } from "./config-intelligence.ts";
import type { ConfigFile } from "./config-schema.ts";

/** Looks into the files that the configuration names. @returns What is wrong, each with its place in the configuration. */
export function findBrokenFiles(
  { brand, upstreams = [], legal, billing, identity, files, clickhouse }: ConfigFile,
  folder: string,
): { keys: (string | number)[]; message: string }[] {
  const documents = upstreams.map(({ openapi }, index) => ({
    keys: ["upstreams", index, "openapi", "file"],
    file: openapi?.file,
    check: checkOpenapiFile,
  }));
  const texts = (["terms", "privacy"] as const).map((name) => ({
    keys: ["legal", name],
    file: legal[name],
    check: checkLegalFile,
  }));
  const secrets = identity.providers.map(({ clientSecretFile }, index) => ({
    keys: ["identity", "providers", index, "clientSecretFile"],
    file: clientSecretFile,
    check: checkSecretFile,
  }));
  const bucket = {
    keys: ["files", "s3", "secretKeyFile"],
    file: files.s3?.secretKeyFile,
    check: checkSecretFile,
  };
  const password = {
    keys: ["clickhouse", "passwordFile"],
    file: clickhouse?.passwordFile,
    check: checkSecretFile,
  };
  const looks = [
    { keys: ["brand", "mark"], file: findMarkPath(brand.mark), check: checkMarkFile },
    { keys: ["billing", "seller", "logo"], file: billing.seller.logo, check: checkPictureFile },
    { keys: ["billing", "documents", "font"], file: billing.documents.font, check: checkFontFile },
  ];
  return [...documents, ...texts, ...secrets, bucket, password, ...looks].flatMap(
    ({ keys, file, check }) => {
      const message = file === undefined ? undefined : check(resolve(folder, file));
      return message === undefined ? [] : [{ keys, message }];
    },
  );
}

/**
 * Firebase's libraries stop checking signatures when this is set, and so would anyone who relies on it here: a production
 * system that inherits it from a developer's shell must not start.
 */
const FORBIDDEN_VARIABLE = "FIREBASE_AUTH_EMULATOR_HOST";

/** A variable that must not be set at all. */
export function findForbidden(env: Readonly<Record<string, string | undefined>>): Mistake[] {
  const value = env[FORBIDDEN_VARIABLE];
  return value === undefined || value === ""
    ? []
    : [
        {
          place: FORBIDDEN_VARIABLE,
          message:
            "Must not be set: tokens of the emulator are not signed, so anyone could sign in.",
        },
      ];
}

function findUnsafeEmulator(
  file: ConfigFile | undefined,
  env: { TURNPIKE_MODE: "development" | "production"; TURNPIKE_CONSOLE_URL?: string | undefined },
): Mistake[] {
  if (file?.identity.firebase?.emulator === undefined) {
    return [];
  }
  const message = findEmulatorMistake({
    mode: env.TURNPIKE_MODE,
    host: file.listen.host,
    consoleUrl: env.TURNPIKE_CONSOLE_URL ?? file.publicUrls.console,
    trustedProxies: file.trustedProxies,
  });
  return message === undefined ? [] : [{ place: "identity.firebase.emulator", message }];
}

function findExposedKey(key: string | undefined, address: string | undefined): Mistake[] {
  return key === undefined || address === undefined || !sendsKeyInClear(address)
    ? []
    : [
        {
          place: "TURNPIKE_MODEL_KEY",
          message: "Is only sent by https, or to this machine: change intelligence.model.url.",
        },
      ];
}

function findMissingStore(
  file: ConfigFile | undefined,
  env: { TURNPIKE_VALKEY_URL?: string | undefined } | undefined,
): Mistake[] {
  return file?.rateLimits.store === "valkey" && env?.TURNPIKE_VALKEY_URL === undefined
    ? [
        {
          place: "rateLimits.store",
          message: "Valkey needs its address in TURNPIKE_VALKEY_URL.",
        },
      ]
    : [];
}

/**
 * Where the environment and the file contradict each other, or one lacks what the other needs.
 *
 * @param env - Undefined when it has mistakes of its own.
 * @param file - Undefined when it has mistakes of its own.
 */
export function findContradictions(
  env: ParsedEnvironment | undefined,
  file: ConfigFile | undefined,
): Mistake[] {
  return [
    ...findExposedKey(env?.TURNPIKE_MODEL_KEY, file?.intelligence.model?.url),
    ...findS3Mistakes(env?.TURNPIKE_S3_SECRET_KEY, file?.files),
    ...findClickHouseMistakes(env?.TURNPIKE_CLICKHOUSE_PASSWORD, file?.clickhouse),
    ...findMissingStore(file, env),
    ...findCellMistakes(env, file),
    ...findStraySecrets(env?.TURNPIKE_CLIENT_SECRETS, file?.identity.providers),
    ...(env === undefined ? [] : findUnsafeEmulator(file, env)),
  ];
}
