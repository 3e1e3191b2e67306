import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import { hasProgram } from "./logged-program.ts";
import type { Place } from "./place.ts";

const run = promisify(execFile);
const TOOL_TIMEOUT_MS = 10_000;

/** A machine of a test: a network namespace with an address of its own, on one switch with the others. */
export type Host = Place & { name: string };

/** Hosts on a switch that the test itself is connected to, and what can go wrong between them. */
export type HostNetwork = AsyncDisposable & {
  /** The test's own address on the switch. */
  address: string;
  addHost(): Promise<Host>;
  /** An address that is no host's own: {@link moveAddress} gives it to one. */
  spareAddress(): string;
  /** Takes an address away from one host, if it has it, and gives it to another, as a failover does it. */
  moveAddress(address: string, from: Host | undefined, to: Host): Promise<void>;
  /** No packet comes to the host or leaves it, except from and to itself. */
  cutOff(host: Host): Promise<void>;
  /** No packet passes between the two, in either direction; others reach both. */
  part(host: Host, other: string): Promise<void>;
  /** Of packets to and from the host, so many in a hundred are lost. */
  losePackets(host: Host, percent: number): Promise<void>;
  /** Ends what was wrong with the host. */
  heal(host: Host): Promise<void>;
};

/** Why this machine makes no hosts; undefined when it does. */
export async function findHostsObstacle(): Promise<string | undefined> {
  if (process.platform !== "linux" || process.getuid?.() !== 0) {
    return "hosts are network namespaces of Linux, which root alone makes";
  }
  const missing = ["ip", "nft", "setpriv"].find((name) => !hasProgram(name));
  if (missing !== undefined) {
    return `${missing} is not installed: apt-get install iproute2 nftables util-linux`;
  }
  const probe = `tp${String(process.pid)}probe`;
  try {
    await ip("netns", "add", probe);
    await nft({ name: probe, host: "", within: within(probe) }, "add table inet probe");
    return undefined;
  } catch (error) {
    return `namespaces cannot be made: ${error instanceof Error ? error.message.trim() : String(error)}`;
  } finally {
    await ip("netns", "delete", probe).catch(() => undefined);
  }
}

const within = (name: string) => ["ip", "netns", "exec", name];

async function ip(...args: readonly string[]): Promise<void> {
  await run("ip", args, { timeout: TOOL_TIMEOUT_MS });
}

async function nft(host: Host, rules: string): Promise<void> {
  const [program = "", ...args] = [...host.within, "nft", rules];
  await run(program, args, { timeout: TOOL_TIMEOUT_MS });
}

/** Networks of this kind are 10.231.0.0/24 to 10.231.249.0/24: one that no other test has. */
const NETWORKS_MAX = 250;
const HOSTS_MAX = 200;

/**
 * Makes a switch, with the test on it. `await using` removes it and all hosts; their programs must have ended.
 *
 * @throws where {@link findHostsObstacle} finds one.
 */
export async function createHostNetwork(): Promise<HostNetwork> {
  const pid = String(process.pid);
  const number = await claimNetwork();
  const bridge = `tpb${String(number)}`;
  const prefix = `10.231.${String(number)}`;
  const hosts: Host[] = [];
  let used = 1;
  const nextAddress = (): string => {
    used += 1;
    if (used > HOSTS_MAX) {
      throw new Error(`A network has at most ${String(HOSTS_MAX)} addresses.`);
    }
    return `${prefix}.${String(used)}`;
  };
  await ip("addr", "add", `${prefix}.1/24`, "dev", bridge);
  await ip("link", "set", bridge, "up");

  async function setRule(host: Host, rule: (direction: "in" | "out") => string): Promise<void> {
    await heal(host);
    const chain = (direction: "in" | "out", hook: string, loopback: string) =>
      `chain ${direction} { type filter hook ${hook} priority 0; ${loopback} lo accept; ${rule(direction)} drop; }`;
    const chains = [chain("in", "input", "iif"), chain("out", "output", "oif")];
    await nft(host, `table inet faults {\n${chains.join("\n")}\n}`);
  }

  async function heal(host: Host): Promise<void> {
    // Deleting what is not there is a mistake for nft, adding what is there is none.
    await nft(host, "add table inet faults; delete table inet faults");
  }

  return {
    address: `${prefix}.1`,
    async addHost() {
      const at = nextAddress();
      const name = `tp${pid}n${String(number)}h${String(used)}`;
      const [outside, inside] = [
        `tpo${String(number)}x${String(used)}`,
        `tpi${String(number)}x${String(used)}`,
      ];
      await ip("netns", "add", name);
      const host: Host = { name, host: at, within: within(name) };
      hosts.push(host);
      await ip("link", "add", outside, "type", "veth", "peer", "name", inside, "netns", name);
      await ip("link", "set", outside, "master", bridge, "up");
      await ip("-n", name, "link", "set", inside, "name", "eth0");
      await ip("-n", name, "addr", "add", `${at}/24`, "dev", "eth0");
      await ip("-n", name, "link", "set", "eth0", "up");
      await ip("-n", name, "link", "set", "lo", "up");
      return host;
    },
    spareAddress: nextAddress,
    async moveAddress(address, from, to) {
      if (from !== undefined) {
        await ip("-n", from.name, "addr", "delete", `${address}/24`, "dev", "eth0").catch(
          () => undefined,
        );
      }
      await ip("-n", to.name, "addr", "add", `${address}/24`, "dev", "eth0");
      // A machine that takes over an address tells all others; here they are made to ask.
      for (const { name } of hosts) {
        await ip("-n", name, "neigh", "flush", "all");
      }
      await ip("neigh", "flush", "dev", bridge);
    },
    cutOff: (host) => setRule(host, () => ""),
    part: (host, other) =>
      setRule(host, (direction) => `ip ${direction === "in" ? "saddr" : "daddr"} ${other}`),
    losePackets: (host, percent) =>
      setRule(host, () => `numgen random mod 100 < ${String(percent)}`),
    heal,
    async [Symbol.asyncDispose]() {
      for (const { name } of hosts) {
        await ip("netns", "delete", name);
      }
      await ip("link", "delete", bridge);
    },
  };
}

/** The switch of a network is its claim: two tests cannot both make the same one. */
async function claimNetwork(): Promise<number> {
  const first = process.pid % NETWORKS_MAX;
  for (let tried = 0; tried < NETWORKS_MAX; tried += 1) {
    const number = (first + tried) % NETWORKS_MAX;
    const bridge = `tpb${String(number)}`;
    if (existsSync(`/sys/class/net/${bridge}`)) {
      continue;
    }
    try {
      await ip("link", "add", bridge, "type", "bridge");
      return number;
    } catch (error) {
      if (!existsSync(`/sys/class/net/${bridge}`)) {
        throw error;
      }
    }
  }
  throw new Error(
    "All networks for tests are taken: remove switches that ended tests left behind.",
  );
}
