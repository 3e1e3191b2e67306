export type CodeSample = {
  id: "curl" | "typescript" | "python" | "nginx";
  label: string;
  /** Exactly what is shown and copied. */
  code: string;
  /** How to run it. */
  note: string;
};

/** The variable that holds the key, whatever the product is called. */
export const KEY_VARIABLE = "API_KEY";
/** Stands where nginx, which reads no variables of the system, needs the key itself. */
export const KEY_PLACEHOLDER = "YOUR_KEY";

/**
 * Writes the same call in four languages. Each works as it stands: a test takes them from the page and runs them.
 *
 * @param gatewayUrl - Without a slash at the end.
 * @param path - Path and query of a GET.
 */
export function toCodeSamples(gatewayUrl: string, path: string): readonly CodeSample[] {
  const url = gatewayUrl + path;
  const isTls = gatewayUrl.startsWith("https:");
  return [
    {
      id: "curl",
      label: "curl",
      code: `curl "${url}" \\\n  -H "Authorization: Bearer $${KEY_VARIABLE}"`,
      note: `Put your key into ${KEY_VARIABLE} first.`,
    },
    {
      id: "typescript",
      label: "TypeScript",
      code: `const response = await fetch("${url}", {
  headers: { authorization: \`Bearer \${process.env.${KEY_VARIABLE}}\` },
});
if (!response.ok) {
  throw new Error(await response.text());
}
console.log(await response.json());`,
      note: "Node 18 or newer, Deno, Bun: no package needed.",
    },
    {
      id: "python",
      label: "Python",
      code: `import json
import os
import urllib.request

request = urllib.request.Request(
    "${url}",
    headers={"Authorization": f"Bearer {os.environ['${KEY_VARIABLE}']}"},
)
with urllib.request.urlopen(request) as response:
    print(json.load(response))`,
      note: "Python 3.6 or newer: no package needed.",
    },
    {
      id: "nginx",
      label: "nginx",
      code: `server {
  listen 8080;

  location / {
    proxy_pass ${gatewayUrl};
    proxy_set_header Authorization "Bearer ${KEY_PLACEHOLDER}";
    proxy_http_version 1.1;${isTls ? "\n    proxy_ssl_server_name on;" : ""}
  }
}`,
      note: "In front of your own app: the key stays on your server, and browsers never see it.",
    },
  ];
}
