import type { SignedInUser } from "@turnpike/contract/auth";
import {
  addOperator,
  getUserByName,
  listOperators,
  removeOperator,
} from "#modules/identity/index.ts";
import { type Cli, examples } from "./cli.ts";
import { toRecord, toTable } from "./print.ts";

const USER_TEXT = "e-mail address or id of a person who has signed in at least once";

type ListedOperator = {
  userId: string | null;
  email: string | null;
  name: string | null;
  /** What makes them an operator. */
  by: "setup link or command" | "configuration";
};

function toOperatorsTable(operators: readonly ListedOperator[]): string {
  return toTable(
    operators,
    [
      { header: "USER", value: (operator) => operator.userId ?? "-" },
      { header: "E-MAIL", value: (operator) => operator.email ?? "-" },
      { header: "NAME", value: (operator) => operator.name ?? "-" },
      { header: "BY", value: (operator) => operator.by },
    ],
    "No operators yet. Register, then: turnpike operators add you@example.com",
  );
}

function toUserText(user: SignedInUser): string {
  return toRecord([
    ["User", user.userId],
    ["E-mail", user.email ?? "-"],
    // The person who registered the address may not be its owner.
    [
      "Verified",
      user.emailVerified ? "yes" : "no: the person who registered it may not be its owner",
    ],
    ["Name", user.name ?? "-"],
    ["Operator", user.isOperator ? "yes" : "no"],
  ]);
}

/** `turnpike operators …`: who may do everything on this installation. */
export function addOperatorsCommands(cli: Cli): void {
  const operators = cli.program
    .command("operators")
    .description("list, add and remove the operators of this installation");

  operators
    .command("list")
    .description("list operators, those of the configuration included")
    .addHelpText("after", examples("operators list"))
    .action(async () => {
      await cli.run(
        async ({ deps, context, config }) => {
          const known = (await listOperators(deps, context)).map(
            ({ userId, email, name }): ListedOperator => {
              return { userId, email, name, by: "setup link or command" };
            },
          );
          const configured = config.identity.operators.map((email): ListedOperator => {
            return { userId: null, email, name: null, by: "configuration" };
          });
          return { items: [...known, ...configured] };
        },
        ({ items }) => toOperatorsTable(items),
      );
    });

  operators
    .command("add")
    .description("make a person an operator")
    .argument("<user>", USER_TEXT)
    .addHelpText("after", examples("operators add ada@example.com"))
    .action(async (idOrEmail) => {
      await cli.run(async ({ deps, context }) => {
        const { userId } = await getUserByName(deps, context, { idOrEmail });
        return await addOperator(deps, context, { userId });
      }, toUserText);
    });

  operators
    .command("remove")
    .description("take an operator's right away, everywhere within a second")
    .argument("<user>", "e-mail address or id of the operator")
    .addHelpText("after", examples("operators remove ada@example.com"))
    .action(async (idOrEmail) => {
      await cli.run(async ({ deps, context }) => {
        const { userId } = await getUserByName(deps, context, { idOrEmail });
        return await removeOperator(deps, context, { userId });
      }, toUserText);
    });
}
