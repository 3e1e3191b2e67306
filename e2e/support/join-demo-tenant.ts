import type { ProductHome } from "@turnpike/testkit/product";

/**
 * Makes the demo's tenants, and the first operator an owner of the one with the most calls.
 *
 * @param options - Of `turnpike demo`, for less than its dozen tenants and 90 days.
 * @returns Its slug.
 */
export async function joinDemoTenant(
  installation: ProductHome,
  options: readonly string[] = [],
): Promise<string> {
  await ask(installation, "demo", "--invoices", "0", ...options);
  const { items: operators } = await ask(installation, "operators", "list", "--json");
  const { items: tenants } = await ask(installation, "tenants", "list", "--limit", "100", "--json");
  const userId = String(operators[0]?.["userId"]);
  const calls = await Promise.all(
    tenants.map(async ({ slug }) => {
      const usage = await ask(installation, "usage", "--tenant", String(slug), "--json");
      return { slug: String(slug), calls: Number(usage["calls"] ?? 0) };
    }),
  );
  const [busiest] = calls.sort((a, b) => b.calls - a.calls);
  if (busiest === undefined) {
    throw new Error("The demo made no tenant.");
  }
  await ask(installation, "members", "put", "--tenant", busiest.slug, "--role", "owner", userId);
  return busiest.slug;
}

type Answer = { items: Record<string, unknown>[] } & Record<string, unknown>;

async function ask(installation: ProductHome, ...args: string[]): Promise<Answer> {
  const { code, stdout, stderr } = await installation.turnpike(...args);
  if (code !== 0) {
    throw new Error(`turnpike ${args.join(" ")} ended with ${String(code)}:\n${stderr}`);
  }
  return args.includes("--json") ? JSON.parse(stdout) : { items: [] };
}
