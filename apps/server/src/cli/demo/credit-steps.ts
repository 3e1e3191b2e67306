import { toScaled } from "@turnpike/domain/money/decimal";
import {
  buyCredit,
  getCredits,
  getSpendCap,
  grantCredit,
  putAutomaticTopUp,
  putSpendCap,
} from "#modules/billing/index.ts";
import { type Life, pay, type Step } from "./demo-step.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "./demo-usage.ts";

/** A cap that nothing of a demo comes near. */
const HIGH_CAP = "5000.00";
/** What is spent of a cap that is nearly reached, per cent. */
const NEAR_PERCENT = 96n;

/** How often a customer on a prepaid plan looks at what is left. */
const LOOKS_EVERY_MS = 8 * DAY_MS;

type Grant = Parameters<typeof grantCredit>[2];

/** The reference counts once, so a run that was interrupted goes on. */
function grant(
  given: Pick<Grant, "kind" | "amount" | "reason" | "reference" | "priority">,
  days?: number,
): Step["run"] {
  return (deps, context, key) => {
    const expiresAtMs = deps.clock.now().getTime() + (days ?? 0) * DAY_MS;
    const expiresAt = days === undefined ? undefined : new Date(expiresAtMs).toISOString();
    return grantCredit(deps, context, { ...key, ...given, expiresAt });
  };
}

const buy = (amount: string): Step["run"] => {
  return (deps, context, key) => buyCredit(deps, context, { ...key, amount });
};

/** Its threshold is below what is left at the end, so that nothing is bought before calls cost something. */
const topUpByItself: Step["run"] = (deps, context, key) =>
  putAutomaticTopUp(deps, context, {
    ...key,
    ...{ threshold: "5.00", amount: "100.00", monthLimit: "300.00" },
  });

const capHigh: Step["run"] = (deps, context, { tenantId }) =>
  putSpendCap(deps, context, { tenantId, amount: HIGH_CAP });

/** Sets the cap so that nearly all of it is spent. What is spent is known once there is a cap. */
const capNear: Step["run"] = async (deps, context, { tenantId }) => {
  const { period } = await getSpendCap(deps, context, { tenantId });
  const spentCents = toScaled(period?.spent ?? "0") / toScaled("0.01");
  const cap = (spentCents * 100n + NEAR_PERCENT - 1n) / NEAR_PERCENT;
  const amount = `${String(cap / 100n)}.${String(cap % 100n).padStart(2, "0")}`;
  await putSpendCap(deps, context, { tenantId, amount, shares: [50, 80, 95] });
};

/** A welcome that is used, and a voucher that expires before it could be. */
export function promotionalCredit({ startMs }: Life): Step[] {
  const kind = "promotional" as const;
  return [
    {
      atMs: startMs + HOUR_MS,
      run: grant({
        ...{ kind, amount: "25.00", priority: 10, reason: "Welcome." },
        reference: "demo-welcome",
      }),
    },
    {
      atMs: startMs + HOUR_MS + MINUTE_MS,
      run: grant(
        {
          ...{ kind, amount: "10.00", priority: 20, reason: "Voucher of a conference." },
          reference: "demo-voucher",
        },
        7,
      ),
    },
  ];
}

/** Buys credit twice, which pays invoices, and lets it be bought by itself from then on. */
export function boughtCredit({ startMs, untilMs }: Life): Step[] {
  const secondMs = startMs + (untilMs - startMs) / 2;
  const ways = [startMs, secondMs].flatMap((ms, index): Step[] => {
    const atMs = Math.floor(ms / MINUTE_MS) * MINUTE_MS + 2 * HOUR_MS;
    return [
      { atMs, run: buy(index === 0 ? "50.00" : "500.00") },
      { atMs: atMs + 5 * MINUTE_MS, run: pay },
    ];
  });
  return [...ways, { atMs: untilMs - HOUR_MS, run: topUpByItself }];
}

/** Buys credit, and again each time that little is left, as a customer does who looks now and then. */
export function prepaidCredit({ startMs, untilMs }: Life): Step[] {
  const buySome = buy("10.00");
  const refill: Step["run"] = async (deps, context, key) => {
    const { draw } = await getCredits(deps, context, key);
    if (draw !== null && toScaled(draw.left) < toScaled("3")) {
      await buySome(deps, context, key);
      await pay(deps, context, key);
    }
  };
  const firstMs = startMs + MINUTE_MS;
  const looks: Step[] = [];
  for (let atMs = firstMs + LOOKS_EVERY_MS; atMs < untilMs - HOUR_MS; atMs += LOOKS_EVERY_MS) {
    looks.push({ atMs, run: refill });
  }
  return [
    { atMs: firstMs, run: buySome },
    { atMs: firstMs + MINUTE_MS, run: pay },
    ...looks,
    {
      atMs: untilMs - HOUR_MS,
      run: (deps, context, key) =>
        putAutomaticTopUp(deps, context, {
          ...key,
          ...{ threshold: "1.00", amount: "20.00", monthLimit: "60.00" },
        }),
    },
  ];
}

export function highCap({ untilMs }: Life): Step[] {
  return [{ atMs: untilMs - 3 * HOUR_MS, run: capHigh }];
}

/** With most of the period behind, nearly all of the cap is spent. */
export function nearCap({ untilMs }: Life): Step[] {
  return [
    { atMs: untilMs - 30 * MINUTE_MS, run: capHigh },
    { atMs: untilMs - 20 * MINUTE_MS, run: capNear },
  ];
}
