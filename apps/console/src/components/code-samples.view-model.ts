import { t } from "@lingui/core/macro";
import { toPythonLiteral } from "./python-literal.ts";

export type CodeSample = {
  id: "curl" | "typescript" | "python" | "nginx";
  label: string;
  /** Exactly what is shown and copied. */
  code: string;
  /** How to run it. */
  note: string;
};

/** A call through the gateway, without its key. */
export type SampleCall = {
  method: string;
  /** Path and query, in characters that mean nothing else in any of the languages. */
  target: string;
  headers: readonly { name: string; value: string }[];
  body: string | null;
};

/** The variable that holds the key, for a product of any name. */
export const KEY_VARIABLE = "API_KEY";
/** Placeholder for the key itself. */
export const KEY_PLACEHOLDER = "YOUR_KEY";

/** @param target - Path and query. */
export function toGet(target: string): SampleCall {
  return { method: "GET", target, headers: [], body: null };
}

/** In single quotes, a shell takes everything else as it is. */
function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The value of a body that is JSON; undefined for any other body. */
function parseBody(body: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(body) };
  } catch {
    return;
  }
}

function toCurl(url: string, { method, headers, body }: SampleCall, key: string | undefined) {
  const first = key === undefined ? `export ${KEY_VARIABLE}="${KEY_PLACEHOLDER}"\n\n` : "";
  // The method that curl chooses by itself needs no words.
  const isPlain = method === "GET" && body === null;
  const lines = [
    `curl -i ${isPlain ? "" : `-X ${method} `}-H "Authorization: Bearer ${key ?? `$${KEY_VARIABLE}`}"`,
    ...headers.map(({ name, value }) => `  -H ${quoteForShell(`${name}: ${value}`)}`),
    ...(body === null ? [] : [`  --data-raw ${quoteForShell(body)}`]),
    `  "${url}"`,
  ];
  return first + lines.join(" \\\n");
}

function toTypescriptBody(body: string): string {
  const parsed = parseBody(body);
  // As a name in an object of a program, this one would set what the object inherits from.
  if (parsed === undefined || body.includes('"__proto__"')) {
    return JSON.stringify(body);
  }
  return `JSON.stringify(${JSON.stringify(parsed.value, null, 2).replaceAll("\n", "\n  ")})`;
}

function toTypescript(url: string, { method, headers, body }: SampleCall, key: string | undefined) {
  const credential =
    key === undefined ? `\`Bearer \${process.env.${KEY_VARIABLE}}\`` : `"Bearer ${key}"`;
  const sent = headers.map(
    ({ name, value }) => `${JSON.stringify(name.toLowerCase())}: ${JSON.stringify(value)}`,
  );
  const all = [`authorization: ${credential}`, ...sent];
  const options = [
    ...(method === "GET" ? [] : [`method: "${method}",`]),
    all.length === 1
      ? `headers: { ${all.join()} },`
      : `headers: {\n${all.map((line) => `    ${line},\n`).join("")}  },`,
    ...(body === null ? [] : [`body: ${toTypescriptBody(body)},`]),
  ];
  // Changes are often answered without a body.
  const answer =
    method === "GET" ? "await response.json()" : "response.status, await response.text()";
  return `const response = await fetch("${url}", {
${options.map((option) => `  ${option}\n`).join("")}});
if (!response.ok) {
  throw new Error(await response.text());
}
console.log(${answer});`;
}

function toPythonBody(body: string): string {
  const parsed = parseBody(body);
  return parsed === undefined
    ? `${JSON.stringify(body)}.encode()`
    : `json.dumps(${toPythonLiteral(parsed.value, 4)}).encode()`;
}

function toPython(url: string, { method, headers, body }: SampleCall, key: string | undefined) {
  const credential =
    key === undefined ? `f"Bearer {os.environ['${KEY_VARIABLE}']}"` : `"Bearer ${key}"`;
  const sent = headers.map(
    ({ name, value }) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`,
  );
  const all = [`"Authorization": ${credential}`, ...sent];
  const options = [
    ...(method === "GET" ? [] : [`method="${method}",`]),
    all.length === 1
      ? `headers={${all.join()}},`
      : `headers={\n${all.map((line) => `        ${line},\n`).join("")}    },`,
    ...(body === null ? [] : [`data=${toPythonBody(body)},`]),
  ];
  const answer =
    method === "GET" ? "json.load(response)" : "response.status, response.read().decode()";
  const modules = [
    ...(method === "GET" || (body !== null && parseBody(body) !== undefined) ? ["json"] : []),
    ...(key === undefined ? ["os"] : []),
    "urllib.request",
  ];
  return `${modules.map((name) => `import ${name}`).join("\n")}

request = urllib.request.Request(
    "${url}",
${options.map((option) => `    ${option}\n`).join("")})
with urllib.request.urlopen(request) as response:
    print(${answer})`;
}

function toNginx(gatewayUrl: string, key: string | undefined): string {
  const isTls = gatewayUrl.startsWith("https:");
  return `server {
  listen 8080;

  location / {
    proxy_pass ${gatewayUrl};
    proxy_set_header Authorization "Bearer ${key ?? KEY_PLACEHOLDER}";
    proxy_http_version 1.1;${isTls ? "\n    proxy_ssl_server_name on;" : ""}
  }
}`;
}

/**
 * Writes the same call in four languages. Each works as it stands: a test takes them from the page and runs them.
 *
 * @param gatewayUrl - Without a slash at the end.
 * @param key - Stands in the samples as it is. Left out: a variable does, so that no key is pasted into a program.
 */
export function toCodeSamples(
  gatewayUrl: string,
  call: SampleCall,
  key?: string,
): readonly CodeSample[] {
  const url = gatewayUrl + call.target;
  return [
    {
      id: "curl",
      label: "curl",
      code: toCurl(url, call, key),
      note: t`The response headers say how much of each limit is left.`,
    },
    {
      id: "typescript",
      label: "TypeScript",
      code: toTypescript(url, call, key),
      note: t`Node 18 or newer, Deno, Bun: no package needed.`,
    },
    {
      id: "python",
      label: "Python",
      code: toPython(url, call, key),
      note: t`Python 3.6 or newer: no package needed.`,
    },
    {
      id: "nginx",
      label: "nginx",
      code: toNginx(gatewayUrl, key),
      note: t`In front of your own app: the key stays on your server, and browsers never see it.`,
    },
  ];
}
