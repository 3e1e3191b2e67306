import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ProductHome } from "@turnpike/testkit/product";
import type { Page } from "playwright-core";
import { joinDemoTenant } from "../../e2e/support/join-demo-tenant.ts";
import { makePerson, type Person, registerPerson } from "../../e2e/support/sign-in.ts";

const MANY_KEYS = 10_000;
/** Enough for a month to compare plans by, and for weekdays to forecast from. */
const DEMO_OPTIONS = ["--tenants", "4", "--days", "65"];
/** The most characters that a name may have, without a place to break the line. */
const LONGEST_NAME = "Straßenverkehrszulassungsordnungsänderungsverordnung".padEnd(100, "x");
const LONGEST_ADDRESS = `${"a".repeat(64)}@${"b".repeat(60)}.example.com`;

/** The tenants whose screens are looked at, by slug, and the people who look. */
export type States = { empty: string; demo: string; many: string; longest: string };

/** Makes the person at the page the operator of a fresh installation. */
export async function claimInstallation(
  page: Page,
  output: string,
  person = makePerson(),
): Promise<void> {
  const setupLink = /http\S+#setup=[\w-]+/.exec(output)?.[0];
  if (setupLink === undefined) {
    throw new Error(`The product printed no setup link:\n${output}`);
  }
  await registerPerson(page, setupLink, person);
  await page.getByRole("heading", { name: "Your API", level: 1 }).waitFor();
}

/** Makes a tenant of which the operator is the owner. */
export async function makeTenant(
  home: ProductHome,
  { name, slug }: { name: string; slug: string },
): Promise<string> {
  await run(home, "tenants", "create", "--name", name, "--slug", slug);
  const operators = JSON.parse(await run(home, "operators", "list", "--json"));
  await run(home, "members", "put", "--tenant", slug, "--role", "owner", operators.items[0].userId);
  return slug;
}

/** Registers a person, and makes them a member of a tenant. */
export async function registerMember(
  home: ProductHome,
  input: {
    page: Page;
    consoleUrl: string;
    tenant: string;
    role: "owner" | "viewer";
    person?: Person;
  },
): Promise<void> {
  const { page, consoleUrl, tenant, role, person = makePerson() } = input;
  const verified = page.waitForResponse(`${consoleUrl}/auth/verify`);
  await registerPerson(page, `${consoleUrl}/register`, person);
  const { user } = await (await verified).json();
  await run(home, "members", "put", "--tenant", tenant, "--role", role, user.userId);
}

/** Makes the tenants with data: a demo, one with 10,000 keys, and one in which everything has the longest name. */
export async function makeTenantsWithData(
  home: ProductHome,
): Promise<Pick<States, "demo" | "many" | "longest">> {
  const many = await makeTenant(home, { name: "Ten thousand keys", slug: "ten-thousand-keys" });
  const file = join(home.dataFolder, "many-keys.csv");
  const rows = Array.from({ length: MANY_KEYS }, (_, place) => {
    const hash = createHash("sha256")
      .update(`key ${String(place)}`)
      .digest("hex");
    return `${hash},service-${String(place).padStart(5, "0")}`;
  });
  await writeFile(file, ["hash,name", ...rows].join("\n"));
  await run(home, "keys", "import", "--tenant", many, file);

  const slug = "longest-names";
  const longest = await makeTenant(home, { name: LONGEST_NAME, slug });
  await run(home, "keys", "create", "--tenant", slug, "--name", LONGEST_NAME);
  const { userId } = JSON.parse(
    await run(
      home,
      ...[
        "users",
        "ensure",
        "--json",
        "--issuer",
        "https://id.example.com",
        "--subject",
        "longest",
      ],
      ...["--email", LONGEST_ADDRESS, "--name", LONGEST_NAME],
    ),
  );
  await run(home, "members", "put", "--tenant", slug, "--role", "admin", userId);

  return { demo: await joinDemoTenant(home, DEMO_OPTIONS), many, longest };
}

async function run(home: ProductHome, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await home.turnpike(...args);
  if (code !== 0) {
    throw new Error(`turnpike ${args.join(" ")} ended with ${String(code)}:\n${stderr}`);
  }
  return stdout;
}
