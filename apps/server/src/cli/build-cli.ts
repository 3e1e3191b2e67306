import { addAskCommand } from "./ask-command.ts";
import { addAuditCommands } from "./audit-commands.ts";
import { addBillingCommands } from "./billing-commands.ts";
import { addCatalogCommands } from "./catalog-commands.ts";
import { type Cli, type CliEnvironment, createCli } from "./cli.ts";
import { addClockCommand } from "./clock-command.ts";
import { addConfigCommands } from "./config-commands.ts";
import { addDemoCommand } from "./demo-command.ts";
import { addDetectCommand } from "./detect-command.ts";
import { addForecastCommand } from "./forecast-command.ts";
import { addImportCommand } from "./import-command.ts";
import { addInvoicesCommands } from "./invoices-commands.ts";
import { addKeysCommands } from "./keys-commands.ts";
import { addMailCommands } from "./mail-commands.ts";
import { addMembersCommands } from "./members-commands.ts";
import { addOperatorsCommands } from "./operators-commands.ts";
import { addPaymentsCommands } from "./payments-commands.ts";
import { addLoginCommands } from "./remote/login-commands.ts";
import { addServiceKeysCommands } from "./service-keys-commands.ts";
import { addTenantsCommands } from "./tenants-commands.ts";
import { addUsageCommands } from "./usage-commands.ts";
import { addWebhooksCommands } from "./webhooks-commands.ts";

/** Puts the whole program together; runs nothing. */
export function buildCli(environment: CliEnvironment): Cli {
  const cli = createCli(environment);
  addLoginCommands(cli);
  addTenantsCommands(cli);
  addMembersCommands(cli);
  addKeysCommands(cli);
  addServiceKeysCommands(cli);
  addOperatorsCommands(cli);
  addCatalogCommands(cli);
  addBillingCommands(cli);
  addInvoicesCommands(cli);
  addPaymentsCommands(cli);
  addClockCommand(cli);
  addUsageCommands(cli);
  addImportCommand(cli);
  addForecastCommand(cli);
  addAskCommand(cli);
  addWebhooksCommands(cli);
  addMailCommands(cli);
  addAuditCommands(cli);
  addConfigCommands(cli);
  addDemoCommand(cli);
  addDetectCommand(cli);
  return cli;
}
