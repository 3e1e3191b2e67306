import { readFile, stat } from "node:fs/promises";
import { parseHost } from "@turnpike/domain/access-log/logged-request";
import { isId } from "@turnpike/domain/ids/ids";
import { toCanonicalNetwork } from "@turnpike/domain/keys/networks";
import { parse as parseYaml } from "yaml";
import { z } from "zod";
import { InputFileError, toInputFileError } from "../input-file-error.ts";

const MAP_BYTES_MAX = 1024 * 1024;
const RULES_MAX = 1_000;
const CLIENTS_MAX = 100;

const text = z.string().min(1).max(2_000);
const network = text.transform((value, context) => {
  const canonical = toCanonicalNetwork(value);
  if (canonical === undefined) {
    context.addIssue({ code: "custom", message: "An address, or a network such as 10.0.0.0/8." });
    return z.NEVER;
  }
  return canonical;
});
const clients = z
  .union([network.transform((one) => [one]), z.array(network).min(1).max(CLIENTS_MAX)], {
    error: "An address, a network such as 10.0.0.0/8, or a list of them.",
  })
  .optional();

const conditions = {
  path: z
    .string()
    .regex(/^(?:\/[^*?#]*\*?|\*)$/, "A path such as /v1/maps, or /v1/* for all paths below it.")
    .max(2_000)
    .optional(),
  host: text
    .refine(
      (host) => parseHost(host)?.value !== undefined,
      "A host name or address, such as api.example.com.",
    )
    .optional(),
  user: text.optional(),
  client: clients,
};

const rule = z.union(
  [
    z.strictObject({
      ...conditions,
      tenant: text,
      key: z
        .string()
        .refine((id) => isId("key", id), "An id of a key, such as key_0193….")
        .optional(),
    }),
    z.strictObject({ ...conditions, ignore: z.literal(true) }),
  ],
  { error: "A rule has tenant (and perhaps key) or ignore: true; and path, host, user, client." },
);

const importMap = z.strictObject({ rules: z.array(rule).min(1).max(RULES_MAX) });

/** One rule of a map: the tenant of the requests that it matches, or that they are ignored. */
export type MapRule = z.output<typeof rule>;

type Issue = { path: readonly PropertyKey[]; message: string; errors?: readonly Issue[][] };

/** Lists the mistakes of a rule, compared with the kind of rule that it comes closest to. */
function flatten({ path, message, errors }: Issue): { pointer: string; message: string }[] {
  const [nearest] = [...(errors ?? [])].sort((one, other) => one.length - other.length);
  if (nearest === undefined || nearest.length !== 1) {
    return [{ pointer: path.map((step) => `/${String(step)}`).join(""), message }];
  }
  return nearest.flatMap((issue) => flatten({ ...issue, path: [...path, ...issue.path] }));
}

async function readText(path: string): Promise<string> {
  try {
    if ((await stat(path)).size > MAP_BYTES_MAX) {
      throw new InputFileError(`${path} is too large for a map (1 MiB).`);
    }
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof InputFileError) {
      throw error;
    }
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw new InputFileError(
      code === "ENOENT" ? `There is no file ${path}.` : `${path} cannot be read (${code}).`,
    );
  }
}

/**
 * Reads a map: rules that assign the requests of a log to tenants. The first rule that matches decides.
 *
 * @throws {InputFileError} that names every mistake with its pointer.
 */
export async function readImportMap(path: string): Promise<readonly MapRule[]> {
  const content = await readText(path);
  let value: unknown;
  try {
    value = parseYaml(content);
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
    throw new InputFileError(`${path} is neither YAML nor JSON: ${reason?.replace(/:$/, ".")}`);
  }
  const parsed = importMap.safeParse(value);
  if (!parsed.success) {
    throw toInputFileError(
      path,
      parsed.error.issues.flatMap((issue) => flatten(issue as Issue)),
    );
  }
  return parsed.data.rules;
}
