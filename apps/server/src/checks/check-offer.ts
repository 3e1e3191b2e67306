import { readOffer } from "#modules/catalog/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import type { Config } from "../config.ts";
import { type Finding, ok } from "./check.ts";

/** What an invoice must say of who sells, nearly everywhere. */
const NEEDED = ["name", "address", "country"] as const;

function toPlansFinding({ hasPrices, samples }: Awaited<ReturnType<typeof readOffer>>): Finding {
  if (samples.length === 0) {
    return ok(hasPrices ? "The plans with a price are your own." : "No plan has a price.");
  }
  const names = samples.map(
    ({ name, currency, pricePerMonth }) => `${name} (${pricePerMonth} ${currency})`,
  );
  return {
    state: "warning",
    seen: `Customers can buy samples that no one chose: ${names.join(", ")}.`,
    advice:
      "Edit or archive samples on the page Plans. To sell them as they are, name them under catalog in turnpike.yaml: turnpike catalog export prints the lines.",
  };
}

function toSellerFinding({ billing, configPath }: Config, hasPrices: boolean): Finding {
  const { seller } = billing;
  const missing = NEEDED.filter((name) => (seller[name]?.length ?? 0) === 0);
  if (missing.length === 0) {
    return ok(`Invoices are from ${seller.name}.`);
  }
  if (!hasPrices) {
    return ok("No plan has a price, so no invoice needs a seller.");
  }
  return {
    state: "warning",
    seen: `Plans have a price, and invoices do not have your ${missing.join(", ")}.`,
    advice: `Write ${missing.map((name) => `billing.seller.${name}`).join(", ")} in ${configPath}, and restart.`,
  };
}

/** Whether what is for sale was chosen by the operator, and whether invoices for it say who sells. */
export async function checkOffer(
  services: Pick<AppServices, "transact">,
  config: Config,
): Promise<{ plans: Finding; seller: Finding }> {
  const isConfigured = config.catalogFile !== undefined;
  const offer = await readOffer(services, isConfigured ? config.catalog.plans : []);
  return { plans: toPlansFinding(offer), seller: toSellerFinding(config, offer.hasPrices) };
}
