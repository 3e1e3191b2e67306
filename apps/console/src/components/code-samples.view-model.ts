import { t } from "@lingui/core/macro";
export type CodeSample = {
  id: "curl" | "typescript" | "python" | "nginx";
  label: string;
  /** Exactly what is shown and copied. */
  code: string;
  /** How to run it. */
  note: string;
};

/** The variable that holds the key, for a product of any name. */
export const KEY_VARIABLE = "API_KEY";
/** Placeholder for the key itself. */
export const KEY_PLACEHOLDER = "YOUR_KEY";

/**
 * Writes the same call in four languages. Each works as it stands: a test takes them from the page and runs them.
 *
 * @param gatewayUrl - Without a slash at the end.
 * @param path - Path and query of a GET.
 * @param key - Stands in the samples as it is. Left out: a variable does, so that no key is pasted into a program.
 */
export function toCodeSamples(
  gatewayUrl: string,
  path: string,
  key?: string,
): readonly CodeSample[] {
  const url = gatewayUrl + path;
  const isTls = gatewayUrl.startsWith("https:");
  return [
    {
      id: "curl",
      label: "curl",
      code: `${key === undefined ? `export ${KEY_VARIABLE}="${KEY_PLACEHOLDER}"\n\n` : ""}curl -i -H "Authorization: Bearer ${key ?? `$${KEY_VARIABLE}`}" \\
  "${url}"`,
      note: t`The response headers say how much of each limit is left.`,
    },
    {
      id: "typescript",
      label: "TypeScript",
      code: `const response = await fetch("${url}", {
  headers: { authorization: ${key === undefined ? `\`Bearer \${process.env.${KEY_VARIABLE}}\`` : `"Bearer ${key}"`} },
});
if (!response.ok) {
  throw new Error(await response.text());
}
console.log(await response.json());`,
      note: t`Node 18 or newer, Deno, Bun: no package needed.`,
    },
    {
      id: "python",
      label: "Python",
      code: `import json${key === undefined ? "\nimport os" : ""}
import urllib.request

request = urllib.request.Request(
    "${url}",
    headers={"Authorization": ${key === undefined ? `f"Bearer {os.environ['${KEY_VARIABLE}']}"` : `"Bearer ${key}"`}},
)
with urllib.request.urlopen(request) as response:
    print(json.load(response))`,
      note: t`Python 3.6 or newer: no package needed.`,
    },
    {
      id: "nginx",
      label: "nginx",
      code: `server {
  listen 8080;

  location / {
    proxy_pass ${gatewayUrl};
    proxy_set_header Authorization "Bearer ${key ?? KEY_PLACEHOLDER}";
    proxy_http_version 1.1;${isTls ? "\n    proxy_ssl_server_name on;" : ""}
  }
}`,
      note: t`In front of your own app: the key stays on your server, and browsers never see it.`,
    },
  ];
}
