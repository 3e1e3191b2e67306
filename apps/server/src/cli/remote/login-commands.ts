import { hostname, userInfo } from "node:os";
import { signedInUser } from "@turnpike/contract/auth";
import { type Cli, examples, optionParser } from "../cli.ts";
import { toPrintable, toRecord } from "../print.ts";
import { parseRemoteAddress } from "./remote-address.ts";
import { ask, createRemoteApi, type RemoteApi } from "./remote-api.ts";
import { RemoteError } from "./remote-error.ts";
import { signInByDevice } from "./sign-in-by-device.ts";

const WHOAMI = { method: "GET", path: "/v1/me" } as const;

/** Names the account on this machine; a user without a name in the system has none. */
function nameThisMachine(): string {
  try {
    return `turnpike of ${userInfo().username} on ${hostname()}`.slice(0, 100);
  } catch {
    return `turnpike on ${hostname()}`.slice(0, 100);
  }
}

/** Ends a credential. @throws {RemoteError} when the installation does not say that it has ended. */
async function revoke(address: string, token: string): Promise<void> {
  const response = await ask(`${address}/device/revoke`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ token }).toString(),
  });
  if (!response.ok) {
    throw new RemoteError(
      `${address} answered with status ${String(response.status)}: the credential was not ended. Try again, or end it in the console.`,
    );
  }
}

/** A command that works as it is printed. The sign-in is done, so a failure here is none of it. */
async function nameNextStep(api: RemoteApi): Promise<string> {
  const only = await api.getOnlyTenant().catch(() => undefined);
  return only === undefined
    ? `tenants list --at ${api.address}`
    : `keys create --at ${api.address} --tenant ${toPrintable(only.slug)} --name first`;
}

/** `turnpike login`, `logout`, `whoami`: the person at another installation. */
export function addLoginCommands(cli: Cli): void {
  cli.program
    .command("login")
    .description("sign in at an installation, by a code that you type into its console")
    .argument("<address>", "address of its console", optionParser(parseRemoteAddress))
    .addHelpText("after", examples("login https://console.example.com"))
    .action(async (address) => {
      const { logins, wait } = cli.remote();
      const before = await logins.find(address);
      const token = await signInByDevice({
        address,
        name: nameThisMachine(),
        wait,
        show: ({ userCode, page }) =>
          cli.environment.errors.write(
            `Open ${toPrintable(page)}\nand type this code:  ${toPrintable(userCode)}\n\nType it only if you started this sign-in yourself. Waiting …\n`,
          ),
      });
      const api = createRemoteApi({ address, token });
      const { email } = await api.call(WHOAMI, signedInUser);
      await logins.put(address, { token, email });
      if (before !== undefined) {
        await revoke(address, before.token);
      }
      const next = await nameNextStep(api);
      cli.print(
        { address, email },
        () =>
          `Signed in at ${address}${email === null ? "" : ` as ${email}`}.\nNext: turnpike ${next}`,
      );
    });

  cli.program
    .command("logout")
    .description("sign out at an installation: its credential ends, and is removed here")
    .argument("<address>", "address of its console", optionParser(parseRemoteAddress))
    .addHelpText("after", examples("logout https://console.example.com"))
    .action(async (address) => {
      const { logins } = cli.remote();
      const login = await logins.find(address);
      if (login === undefined) {
        throw new RemoteError(`You are not signed in at ${address}.`);
      }
      await revoke(address, login.token);
      await logins.remove(address);
      cli.print({ address }, () => `Signed out at ${address}.`);
    });

  cli.program
    .command("whoami")
    .description("show who is signed in at the installation that --at names")
    .addHelpText("after", examples("whoami --at https://console.example.com"))
    .action(async () => {
      const api = await cli.getRemoteApi();
      const user = await api.call(WHOAMI, signedInUser);
      cli.print({ address: api.address, ...user }, () =>
        toRecord([
          ["Address", api.address],
          ["Person", user.email ?? user.userId],
          ["Operator", user.isOperator ? "yes" : "no"],
        ]),
      );
    });
}
