import { SCOPES } from "@turnpike/domain/access/scopes";
import type { ProductHome } from "@turnpike/testkit/product";

/**
 * Gives a tenant what the demo leaves out, so that each of its lists has a row: an endpoint for webhooks with a delivery, an
 * invitation, a notification, an alert, a role, a proposal.
 *
 * @param input.tenant - Its slug.
 */
export async function furnishTenant(
  home: ProductHome,
  input: { consoleUrl: string; tenant: string },
): Promise<void> {
  const ask = async (...args: string[]) => {
    const { code, stdout, stderr } = await home.turnpike(...args);
    if (code !== 0) {
      throw new Error(`turnpike ${args.join(" ")} ended with ${String(code)}:\n${stderr}`);
    }
    return JSON.parse(stdout);
  };
  const { tenantId } = await ask("tenants", "get", input.tenant, "--json");
  const { key } = await ask(
    ...["service-keys", "create", "--json", "--name", "Catalogue", "--scope", ...SCOPES],
  );
  const post = async (path: string, body: object) => {
    const response = await fetch(`${input.consoleUrl}/v1/tenants/${String(tenantId)}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${String(key)}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) {
      throw new Error(`${path} answered ${String(response.status)}: ${text}`);
    }
    return JSON.parse(text);
  };
  const { webhookId } = await post("/webhooks", {
    url: "http://127.0.0.1:9/turnpike",
    description: "Slack of the billing team",
  });
  await post(`/webhooks/${String(webhookId)}/test`, {});
  await post("/invitations", { email: "grace@example.com", role: "developer" });
  await post("/notifications", {
    kind: "maintenance.planned",
    title: "Maintenance on Sunday",
    body: "The API answers more slowly from 02:00 to 03:00 UTC.",
  });
  await post("/alerts", {
    name: "Traffic above normal",
    query: { measure: "requests" },
    windowMinutes: 5,
    condition: { kind: "above", threshold: 100 },
  });
  await post("/roles", { name: "Billing clerk", scopes: ["billing:read", "usage:read"] });
  await post("/proposals", {
    change: { do: "create_key", key: { name: "Staging", environment: "test" } },
    reason: "The staging server has no key of its own yet.",
  });
}
