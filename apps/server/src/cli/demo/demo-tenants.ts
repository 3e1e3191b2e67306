/** What happens to a demo tenant besides ordinary days. */
export type DemoStory =
  | "steady"
  /** Sends more than its hard quota admits. */
  | "hits-quota"
  /** Its client repeats refused calls in a loop for some hours. */
  | "retry-storm"
  /** Joins late, and a launch multiplies its traffic at once. */
  | "launch"
  /** Moves from `free` to `pro` halfway. */
  | "upgrade"
  /** Is suspended near the end; its program keeps on calling for a while. */
  | "suspended";

/** What a demo tenant buys, and how it pays. */
export type DemoBilling =
  /** A free plan. */
  | "none"
  /** Pays a plan of the catalogue in time, with credit that it was given, and has a cap. */
  | "pays"
  /** And is charged a one-off line at the end. */
  | "one-off"
  /** A trial, then seats and graduated usage, with an add-on, and a cap that is nearly reached. */
  | "growth"
  /** Usage by volume, paid by credit that it buys, also by itself. */
  | "volume"
  /** Usage that draws on credit as it happens, which it buys when little is left; at the end little is left. */
  | "prepaid"
  /** A year in advance. */
  | "yearly"
  /** Moves to a smaller plan in the middle of a period, with a coupon, and stops paying. */
  | "downgrade"
  /** An invoice is voided, and one is written off. */
  | "troubled"
  /** Pays when invoices are overdue already. */
  | "late"
  /** Is in a trial at the end. */
  | "trial"
  /** Has cancelled for the end of the period. */
  | "leaves";

export type DemoTenant = {
  name: string;
  billing: DemoBilling;
  planId: "free" | "pro" | "scale";
  story: DemoStory;
  /** Calls in an ordinary hour at the start. */
  callsPerHour: number;
  /** Growth a day, as a fraction. */
  growthPerDay: number;
  /** Traffic on Saturdays and Sundays, as a share of that on other days. */
  weekendShare: number;
  /** Hour of the day with the most traffic, UTC. */
  peakHour: number;
  /** When it becomes a tenant, as a share of the time shown. */
  joinsAt: number;
  /** A key that was replaced: it is revoked halfway. */
  hasRotatedKey: boolean;
};

/** All invented. */
export const DEMO_TENANTS: readonly DemoTenant[] = [
  {
    name: "Blue Heron Maps",
    billing: "one-off",
    planId: "scale",
    story: "steady",
    callsPerHour: 1_500,
    growthPerDay: 0.006,
    weekendShare: 0.55,
    peakHour: 14,
    joinsAt: 0,
    hasRotatedKey: true,
  },
  {
    name: "Parcelweft",
    billing: "growth",
    planId: "pro",
    story: "steady",
    callsPerHour: 420,
    growthPerDay: 0.004,
    weekendShare: 0.2,
    peakHour: 10,
    joinsAt: 0,
    hasRotatedKey: true,
  },
  {
    name: "Tinker Moth Apps",
    billing: "none",
    planId: "free",
    story: "hits-quota",
    callsPerHour: 96,
    growthPerDay: 0.001,
    weekendShare: 1.1,
    peakHour: 20,
    joinsAt: 0,
    hasRotatedKey: false,
  },
  {
    name: "Copperline Tickets",
    billing: "downgrade",
    planId: "pro",
    story: "retry-storm",
    callsPerHour: 300,
    growthPerDay: 0.002,
    weekendShare: 1.25,
    peakHour: 18,
    joinsAt: 0,
    hasRotatedKey: true,
  },
  {
    name: "Lanternfish Studio",
    billing: "yearly",
    planId: "scale",
    story: "launch",
    callsPerHour: 380,
    growthPerDay: 0.01,
    weekendShare: 1.2,
    peakHour: 21,
    joinsAt: 0.62,
    hasRotatedKey: false,
  },
  {
    name: "Mossgate Market",
    billing: "pays",
    planId: "free",
    story: "upgrade",
    callsPerHour: 40,
    growthPerDay: 0.012,
    weekendShare: 0.8,
    peakHour: 12,
    joinsAt: 0.05,
    hasRotatedKey: false,
  },
  {
    name: "Saltmarsh Kitchen",
    billing: "troubled",
    planId: "pro",
    story: "suspended",
    callsPerHour: 160,
    growthPerDay: -0.004,
    weekendShare: 1.4,
    peakHour: 19,
    joinsAt: 0,
    hasRotatedKey: false,
  },
  {
    name: "Hollowbrook Cycles",
    billing: "late",
    planId: "pro",
    story: "steady",
    callsPerHour: 210,
    growthPerDay: 0.003,
    weekendShare: 0.9,
    peakHour: 16,
    joinsAt: 0.1,
    hasRotatedKey: false,
  },
  {
    name: "Nimbus Oak Weather",
    billing: "volume",
    planId: "scale",
    story: "steady",
    callsPerHour: 900,
    growthPerDay: 0.002,
    weekendShare: 1,
    peakHour: 7,
    joinsAt: 0,
    hasRotatedKey: true,
  },
  {
    name: "Pinwheel Lessons",
    billing: "prepaid",
    planId: "free",
    story: "steady",
    callsPerHour: 18,
    growthPerDay: 0.005,
    weekendShare: 0.15,
    peakHour: 9,
    joinsAt: 0.2,
    hasRotatedKey: false,
  },
  {
    name: "Driftglass Reports",
    billing: "leaves",
    planId: "pro",
    story: "steady",
    callsPerHour: 130,
    growthPerDay: 0.001,
    weekendShare: 0.1,
    peakHour: 5,
    joinsAt: 0.3,
    hasRotatedKey: false,
  },
  {
    name: "Juniper Relay",
    billing: "trial",
    planId: "free",
    story: "steady",
    callsPerHour: 9,
    growthPerDay: 0.008,
    weekendShare: 0.7,
    peakHour: 15,
    joinsAt: 0.4,
    hasRotatedKey: false,
  },
];

/** The first `count` demo tenants. Beyond the list, smaller siblings in other time zones follow. */
export function listDemoTenants(count: number): DemoTenant[] {
  return Array.from({ length: count }, (_, index) => {
    const round = Math.floor(index / DEMO_TENANTS.length);
    const template = DEMO_TENANTS[index % DEMO_TENANTS.length];
    if (template === undefined) {
      throw new RangeError("The list of demo tenants is empty.");
    }
    return round === 0
      ? template
      : {
          ...template,
          name: `${template.name} ${String(round + 1)}`,
          callsPerHour: template.callsPerHour / (round + 1),
          peakHour: (template.peakHour + 5 * round) % 24,
        };
  });
}
