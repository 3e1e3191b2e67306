/** Where a program of a cluster runs: an address, and the command that leads there. */
export type Place = {
  host: string;
  /** Put in front of every command, such as `ip netns exec node-1`; empty on this machine itself. */
  within: readonly string[];
};

export const THIS_MACHINE: Place = { host: "127.0.0.1", within: [] };
