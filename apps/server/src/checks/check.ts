import type { Check, CheckId } from "@turnpike/contract/checks";
import { said } from "@turnpike/domain/text/said";

/** What one check found: `advice` says what to do about it. */
export type Finding =
  | { state: "ok"; seen: string }
  | { state: "warning" | "failed" | "unknown"; seen: string; advice: string };

const CHECKS: Readonly<Record<CheckId, { title: string; docs: string }>> = {
  upstreams: { title: "Your API answers", docs: "configuration#upstreams" },
  addresses: { title: "Public addresses with TLS", docs: "operations#start" },
  proxy: { title: "Proxy in front", docs: "operations#start" },
  database: { title: said("Database"), docs: "operations#the-database" },
  disk: { title: "Room on the disk", docs: "operations#the-data-folder" },
  files: { title: "Files and exports", docs: "scale#files-and-exports" },
  clickhouse: { title: said("ClickHouse"), docs: "scale#clickhouse" },
  clock: { title: said("Clock"), docs: "operations#the-database" },
  nodes: { title: said("Nodes"), docs: "scale#nodes" },
  cells: { title: said("Cells"), docs: "scale#cells" },
  backup: { title: said("Backups"), docs: "operations#backup" },
  secrets: { title: said("Secrets"), docs: "operations#the-data-folder" },
  mail: { title: said("Mail"), docs: "mail" },
  sign_in: { title: said("Sign-in"), docs: "sign-in" },
  operators: { title: said("Operators"), docs: "operations#start" },
  brand: { title: "Name and mark", docs: "configuration#brand" },
  plans: { title: "Plans and prices", docs: "billing#before-you-sell" },
  seller: { title: "Seller on invoices", docs: "billing#before-you-sell" },
  legal: { title: "Operator in the terms", docs: "public-pages#settings" },
  payments: { title: said("Payment"), docs: "billing" },
  demo: { title: "Demo data", docs: "install" },
};

export const ok = (seen: string): Finding => ({ state: "ok", seen });

export function toCheck(id: CheckId, finding: Finding): Check {
  return {
    id,
    ...CHECKS[id],
    state: finding.state,
    seen: finding.seen,
    advice: finding.state === "ok" ? null : finding.advice,
  };
}
