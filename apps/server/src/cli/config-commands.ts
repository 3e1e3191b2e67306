import { configFile } from "../config-schema.ts";
import { type Cli, examples } from "./cli.ts";
import { toRecord } from "./print.ts";

/** `turnpike config …`: the configuration, without opening the installation. */
export function addConfigCommands(cli: Cli): void {
  const config = cli.program.command("config").description("check and describe the configuration");

  config
    .command("check")
    .description("read environment and configuration file, and list every mistake")
    .addHelpText("after", examples("config check"))
    .action(() => {
      const read = cli.environment.readConfig();
      const summary = {
        valid: true,
        dataFolder: read.dataFolder,
        database: read.databaseUrl === undefined ? "embedded" : "DATABASE_URL",
        port: read.port,
        gatewayPort: read.gatewayPort,
        upstreams: read.upstreams?.map((upstream) => upstream.name) ?? [],
      };
      cli.print(summary, () =>
        toRecord([
          ["Configuration", "valid"],
          ["Data folder", summary.dataFolder],
          ["Database", summary.database],
          ["Port", String(summary.port)],
          ["Gateway port", String(summary.gatewayPort)],
          ["Upstreams", summary.upstreams.join(", ") || "the demo API"],
        ]),
      );
    });

  config
    .command("schema")
    .description("print the JSON Schema of turnpike.yaml, for editors")
    .addHelpText("after", examples("config schema > turnpike.schema.json"))
    .action(() => {
      const schema = { title: "turnpike.yaml", ...configFile.toJSONSchema({ io: "input" }) };
      cli.print(schema, () => JSON.stringify(schema, null, 2));
    });
}
