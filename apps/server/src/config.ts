import { availableParallelism } from "node:os";
import { dirname, resolve } from "node:path";
import type { UpstreamConfig } from "#modules/gateway/index.ts";
import { resolveDataFolder } from "#platform/data-folder.ts";
import { IS_PUBLISHED } from "#platform/published.ts";
import { findMarkPath, toMarkAddress } from "./config-brand.ts";
import { toClickHousePassword } from "./config-clickhouse.ts";
import { toClientSecrets } from "./config-client-secrets.ts";
import { environment } from "./config-environment.ts";
import {
  type Mistake,
  parseFile,
  readConfigText,
  splitIssue,
  toConfigError,
} from "./config-file.ts";
import { toS3Secret } from "./config-files.ts";
import { findBrokenFiles, findContradictions, findForbidden } from "./config-mistakes.ts";
import { type ConfigFile, configFile } from "./config-schema.ts";
import { WORKERS_MAX } from "./config-workers.ts";

/** The environment variables that are read, each with what it is for: `.env.example` is checked against it. */
export const ENVIRONMENT = {
  PORT: "Port of the console and the API. Default 3000; 0 takes any free one.",
  GATEWAY_PORT: "Port of the gateway, for programs. Default 3001; 0 takes any free one.",
  TURNPIKE_DATA_DIR:
    "Folder for everything that is kept. Default .turnpike in the checkout, of the npm package in the working directory; as root below /var/lib/turnpike.",
  TURNPIKE_CONFIG:
    "Path of the configuration file. Default turnpike.yaml in the working directory, if it is there.",
  TURNPIKE_LOG_LEVEL: "trace, debug, info, warn, error or silent. Overrides log.level of the file.",
  TURNPIKE_MODE:
    "production or development. Default production; development allows what only one machine may use, such as Firebase's emulator.",
  TURNPIKE_WORKERS:
    "Threads that serve calls, a number or auto. Overrides workers of the file. Default 1.",
  TURNPIKE_NODES_MAY_DIFFER:
    "true lets this node start beside others of the same database whose configuration differs, while you change one after the other. Default false.",
  TURNPIKE_DATABASE_USER:
    "System user that runs the embedded PostgreSQL when Turnpike is started by root.",
  TURNPIKE_CONSOLE_URL:
    "How people reach the console and the API, such as https://api.example.com. Overrides publicUrls.console of the file.",
  TURNPIKE_SIGNING_SECRET:
    "Secret of X-Turnpike-Signature, at least 32 characters. Default: generated and kept in the data folder.",
  TURNPIKE_IDENTITY_SECRET:
    "Encrypts the keys that sign sign-ins, at least 32 characters; machines with the same one share their keys. Default: generated and kept in the data folder.",
  TURNPIKE_WEBHOOK_SECRET:
    "Encrypts the secrets of webhooks, at least 32 characters; machines on one database need the same one. Default: generated and kept in the data folder.",
  TURNPIKE_SMTP_PASSWORD: "Password of the mail server, when mail.smtp has a user.",
  TURNPIKE_S3_SECRET_KEY:
    "Secret of the access key of files.s3. secretKeyFile there does the same.",
  TURNPIKE_STRIPE_KEY:
    "Restricted key of Stripe (rk_live_…) that collects live invoices. Left out: they are paid by hand.",
  TURNPIKE_STRIPE_WEBHOOK_SECRET:
    "Secret of the webhook's endpoint at Stripe (whsec_…); several, separated by commas, while you change it.",
  TURNPIKE_STRIPE_TEST_KEY:
    "The same for the sandboxes of tenants, of Stripe's test mode (rk_test_…).",
  TURNPIKE_STRIPE_TEST_WEBHOOK_SECRET: "Secret of the endpoint of Stripe's test mode.",
  TURNPIKE_MODEL_KEY:
    "Key of the language model's endpoint, when intelligence.model is set and the endpoint wants one.",
  TURNPIKE_CLIENT_SECRETS:
    "Client secrets of identity.providers that demand one: id=secret, separated by commas. clientSecretFile of a provider does the same.",
  TURNPIKE_CLICKHOUSE_PASSWORD: "Password of clickhouse.user. passwordFile there does the same.",
  TURNPIKE_VALKEY_URL:
    "The Valkey or Redis of rateLimits.store valkey, valkey://user:password@host:6379/0; valkeys:// with TLS.",
  TURNPIKE_DIRECTORY_URL:
    "The PostgreSQL with the directory of cells, when cell is set; every cell names the same one.",
  TURNPIKE_CELLS_SECRET:
    "Secret that all cells share, at least 32 characters: signs the calls that they forward to each other, and hides keys in the directory.",
  DATABASE_URL:
    "An existing PostgreSQL 15 or newer, postgres://user:password@host/database. Default: the embedded one.",
} as const;

/** Everything that can be set, parsed once at the start and handed down. */
export type Config = Readonly<
  Omit<ConfigFile, "log" | "workers" | "upstreams"> & {
    /** Undefined: the demo API. Documents are named by their absolute paths. */
    upstreams: readonly UpstreamConfig[] | undefined;
    /** Threads that serve calls, 1 or more. */
    workers: number;
    port: number;
    gatewayPort: number;
    dataFolder: string;
    /** Whether TURNPIKE_DATA_DIR names it: commands elsewhere need its name. */
    isDataFolderNamed: boolean;
    logLevel: string;
    /** Undefined: the embedded PostgreSQL. */
    databaseUrl: string | undefined;
    /** True: other nodes of the database may have another configuration. */
    nodesMayDiffer: boolean;
    /** System user of the embedded PostgreSQL under root; undefined: chosen. */
    databaseUser: string | undefined;
    /** Undefined: generated and kept in the data folder. */
    signingSecret: string | undefined;
    /** Undefined: generated and kept in the data folder. */
    identitySecret: string | undefined;
    /** Undefined: generated and kept in the data folder. */
    webhookSecret: string | undefined;
    smtpPassword: string | undefined;
    /** Of the access key of `files.s3`; undefined where there is no bucket. */
    s3SecretKey: string | undefined;
    /** Undefined: there is none. */
    clickhousePassword: string | undefined;
    /** By environment: undefined where Stripe does not collect. */
    stripeKeys: Readonly<
      Record<"live" | "test", { key: string; webhookSecrets: readonly string[] } | undefined>
    >;
    /** Undefined: there is none. */
    valkeyUrl: string | undefined;
    /** Of the directory of cells; undefined, like the secret, without `cell`. */
    directoryUrl: string | undefined;
    cellsSecret: string | undefined;
    /** Key of the language model's endpoint; undefined: it is asked without one. */
    modelKey: string | undefined;
    /** Client secrets of identity providers, by the id of the provider; a provider without one is asked as a public client. */
    clientSecrets: Readonly<Record<string, string>>;
    /** Absolute path of the file when it names a catalogue; undefined: the sample. */
    catalogFile: string | undefined;
    /** Absolute path of the configuration file; undefined where there is none. */
    configFile: string | undefined;
    /** Absolute path of the configuration file, also where there is none yet. */
    configPath: string;
    /** Absolute path of the repository, or of the published package, which has the same folders. */
    checkout: string;
  }
>;

/** Where Node's `reusePort` spreads connections. */
const PLATFORMS_OF_SHARED_PORTS = new Set<string>(["linux", "freebsd", "sunos", "aix"]);
const CONFIG_FILE_DEFAULT = "turnpike.yaml";
const CHECKOUT = resolve(import.meta.dirname, "../../..");

/** An API that was named on the command line instead of in the file. */
export type GivenUpstream = {
  url: string;
  /** Its document: an absolute path, or an address. */
  openapi: { file: string } | { url: string } | undefined;
  /** Undefined: what the file says. */
  samplePath: string | undefined;
};

/** Calls with test keys reach it as well: it is tried out, and the person has no other. */
function addUpstream(
  written: unknown,
  given: GivenUpstream | undefined,
): { file: unknown; mistake?: string } {
  if (given === undefined || typeof written !== "object" || written === null) {
    return { file: written };
  }
  if ("upstreams" in written) {
    return {
      file: undefined,
      mistake: "upstreams: The file names them already: leave the address out, or take them away.",
    };
  }
  const { url, openapi, samplePath } = given;
  const upstreams = [{ name: "api", url, testUrl: "same", ...(openapi && { openapi }) }];
  const isAdded = samplePath !== undefined && !("landing" in written);
  return { file: { ...written, upstreams, ...(isAdded && { landing: { samplePath } }) } };
}

function parseConfigFile(
  path: string,
  text: string | undefined,
  upstream: GivenUpstream | undefined,
): { file: ConfigFile | undefined; mistakes: Mistake[]; namesCatalog?: boolean } {
  if (text === undefined && upstream === undefined) {
    return { file: configFile.parse({}), mistakes: [] };
  }
  const { file: written, mistakes, place } = parseFile(path, text ?? "");
  if (mistakes.length > 0) {
    return { file: undefined, mistakes };
  }
  const { file, mistake } = addUpstream(written, upstream);
  if (mistake !== undefined) {
    return { file: undefined, mistakes: [{ place: place(["upstreams"]), message: mistake }] };
  }
  const parsed = configFile.safeParse(file);
  if (parsed.success) {
    const broken = findBrokenFiles(parsed.data, dirname(path)).map(
      ({ keys, message }): Mistake => ({
        place: place(keys),
        message: `${keys.join(".")}: ${message}`,
      }),
    );
    return {
      file: broken.length === 0 ? parsed.data : undefined,
      mistakes: broken,
      namesCatalog: typeof file === "object" && file !== null && "catalog" in file,
    };
  }
  return {
    file: undefined,
    mistakes: parsed.error.issues
      .flatMap(splitIssue)
      .map((mistake) => ({ place: place(mistake.path), message: mistake.message })),
  };
}

function toUpstreamConfig(
  { openapi, ...upstream }: NonNullable<ConfigFile["upstreams"]>[number],
  folder: string,
): UpstreamConfig {
  if (openapi === undefined) {
    return upstream;
  }
  const { file, url = "", refreshSeconds } = openapi;
  return {
    ...upstream,
    openapi:
      file === undefined
        ? { url, refreshSeconds }
        : { file: resolve(folder, file), refreshSeconds },
  };
}

/** One a core, where there is a choice; a system on which threads cannot share a port has none. */
function countWorkers(wanted: number | "auto"): number {
  if (wanted !== "auto") {
    return wanted;
  }
  return PLATFORMS_OF_SHARED_PORTS.has(process.platform)
    ? Math.min(WORKERS_MAX, availableParallelism())
    : 1;
}

function toStripeKeys(key: string | undefined, webhookSecrets: readonly string[] = []) {
  return key === undefined ? undefined : { key, webhookSecrets };
}

function readKnown(env: Readonly<Record<string, string | undefined>>) {
  // An empty variable is what a compose file leaves behind for "not set".
  return Object.fromEntries(
    Object.keys(ENVIRONMENT)
      .map((name) => [name, env[name]] as const)
      .filter(([, value]) => value !== undefined && value !== ""),
  );
}

/**
 * Reads environment and configuration file. The only reader of either.
 *
 * @throws {StartupError} `CONFIG_INVALID` with every mistake, each with file and line or the variable's name.
 */
export function readConfig(
  env: Readonly<Record<string, string | undefined>>,
  input: { isRoot: boolean; workingFolder: string; upstream?: GivenUpstream | undefined },
): Config {
  const parsedEnv = environment.safeParse(readKnown(env));
  const named = env["TURNPIKE_CONFIG"];
  const isNamed = named !== undefined && named !== "";
  const path = resolve(input.workingFolder, isNamed ? named : CONFIG_FILE_DEFAULT);
  const text = readConfigText(path, isNamed);
  const { file, mistakes, namesCatalog } = parseConfigFile(path, text, input.upstream);
  const envMistakes = [
    ...findForbidden(env),
    ...(parsedEnv.error?.issues ?? []).map((issue) => ({
      place: issue.path.map(String).join("."),
      message: issue.message,
    })),
    ...findContradictions(parsedEnv.data, file),
  ];
  if (!parsedEnv.success || file === undefined || envMistakes.length > 0) {
    throw toConfigError([...envMistakes, ...mistakes]);
  }
  const { log, upstreams, ...rest } = file;
  const fromFile = (named: string | undefined) =>
    named === undefined ? undefined : resolve(dirname(path), named);
  const markPath = fromFile(findMarkPath(rest.brand.mark));
  return Object.freeze({
    ...rest,
    upstreams: upstreams?.map((upstream) => toUpstreamConfig(upstream, dirname(path))),
    brand: {
      ...rest.brand,
      mark: markPath === undefined ? rest.brand.mark : toMarkAddress(markPath),
    },
    publicUrls: {
      ...rest.publicUrls,
      ...(parsedEnv.data.TURNPIKE_CONSOLE_URL === undefined
        ? {}
        : { console: parsedEnv.data.TURNPIKE_CONSOLE_URL }),
    },
    legal: {
      ...rest.legal,
      terms: fromFile(rest.legal.terms),
      privacy: fromFile(rest.legal.privacy),
    },
    billing: {
      ...rest.billing,
      seller: { ...rest.billing.seller, logo: fromFile(rest.billing.seller.logo) },
      documents: { ...rest.billing.documents, font: fromFile(rest.billing.documents.font) },
    },
    workers: countWorkers(parsedEnv.data.TURNPIKE_WORKERS ?? rest.workers),
    port: parsedEnv.data.PORT,
    gatewayPort: parsedEnv.data.GATEWAY_PORT,
    dataFolder: resolveDataFolder({
      configured: parsedEnv.data.TURNPIKE_DATA_DIR,
      home: IS_PUBLISHED ? input.workingFolder : CHECKOUT,
      isRoot: input.isRoot,
    }),
    isDataFolderNamed: parsedEnv.data.TURNPIKE_DATA_DIR !== undefined,
    logLevel: parsedEnv.data.TURNPIKE_LOG_LEVEL ?? log.level,
    databaseUrl: parsedEnv.data.DATABASE_URL,
    nodesMayDiffer: parsedEnv.data.TURNPIKE_NODES_MAY_DIFFER,
    databaseUser: parsedEnv.data.TURNPIKE_DATABASE_USER,
    signingSecret: parsedEnv.data.TURNPIKE_SIGNING_SECRET,
    identitySecret: parsedEnv.data.TURNPIKE_IDENTITY_SECRET,
    webhookSecret: parsedEnv.data.TURNPIKE_WEBHOOK_SECRET,
    smtpPassword: parsedEnv.data.TURNPIKE_SMTP_PASSWORD,
    s3SecretKey: toS3Secret(parsedEnv.data.TURNPIKE_S3_SECRET_KEY, {
      s3: rest.files.s3,
      folder: dirname(path),
    }),
    clickhousePassword: toClickHousePassword(parsedEnv.data.TURNPIKE_CLICKHOUSE_PASSWORD, {
      section: rest.clickhouse,
      folder: dirname(path),
    }),
    stripeKeys: {
      live: toStripeKeys(
        parsedEnv.data.TURNPIKE_STRIPE_KEY,
        parsedEnv.data.TURNPIKE_STRIPE_WEBHOOK_SECRET,
      ),
      test: toStripeKeys(
        parsedEnv.data.TURNPIKE_STRIPE_TEST_KEY,
        parsedEnv.data.TURNPIKE_STRIPE_TEST_WEBHOOK_SECRET,
      ),
    },
    valkeyUrl: parsedEnv.data.TURNPIKE_VALKEY_URL,
    directoryUrl: parsedEnv.data.TURNPIKE_DIRECTORY_URL,
    cellsSecret: parsedEnv.data.TURNPIKE_CELLS_SECRET,
    modelKey: parsedEnv.data.TURNPIKE_MODEL_KEY,
    clientSecrets: toClientSecrets(parsedEnv.data.TURNPIKE_CLIENT_SECRETS, {
      providers: rest.identity.providers,
      folder: dirname(path),
    }),
    catalogFile: namesCatalog === true ? path : undefined,
    configFile: text === undefined ? undefined : path,
    configPath: path,
    checkout: CHECKOUT,
  });
}
