import type { TenantId } from "@turnpike/domain/ids/ids";
import { DAY_MS, type DemoWindow, HOUR_MS } from "./demo-usage.ts";
import { seededRandom } from "./seeded-random.ts";

/** The events of the demo's meters: answers of an invented product. */
export const DEMO_EVENT_TYPE = "answer.generated";

/** Days of events, all of which the ledger still accepts at any time of the day. */
const EVENT_DAYS = 33;
const USERS = 40;
const MODELS = [
  { model: "swift", weight: 0.7, tokens: 260 },
  { model: "thorough", weight: 0.25, tokens: 1_400 },
  { model: "vision", weight: 0.05, tokens: 3_100 },
] as const;

export type DemoEventsInput = {
  seed: number;
  window: DemoWindow;
  tenantId: TenantId;
  name: string;
  joinedAtMs: number;
  /** Hour of the day with the most events, UTC. */
  peakHour: number;
};

/** A CloudEvent as a program would send it. */
export type DemoEvent = {
  specversion: "1.0";
  id: string;
  source: string;
  type: string;
  subject: TenantId;
  time: string;
  data: { tokens: number; model: string; user: string };
};

function countAt({ peakHour }: DemoEventsInput, hourMs: number, chance: number): number {
  const phase = ((new Date(hourMs).getUTCHours() - peakHour) / 24) * 2 * Math.PI;
  return Math.floor((1 + Math.cos(phase)) * 1.2 + chance * 1.6);
}

/** Events of a tenant in the last weeks of the demo, in the order of their time; the same for the same input. */
export function* generateEvents(input: DemoEventsInput): Generator<DemoEvent> {
  const { seed, window, tenantId, name } = input;
  const firstMs = Math.max(input.joinedAtMs, window.untilMs - EVENT_DAYS * DAY_MS);
  const startMs = Math.ceil(firstMs / HOUR_MS) * HOUR_MS;
  for (let hourMs = startMs; hourMs + HOUR_MS <= window.untilMs; hourMs += HOUR_MS) {
    const random = seededRandom(seed, name, "events", hourMs);
    const count = countAt(input, hourMs, random());
    for (let index = 0; index < count; index += 1) {
      const drawn = random();
      const kind = MODELS.find(({ weight }, position) => {
        const before = MODELS.slice(0, position).reduce((sum, each) => sum + each.weight, 0);
        return drawn < before + weight;
      });
      const { model, tokens } = kind ?? MODELS[0];
      yield {
        specversion: "1.0",
        id: `${String(hourMs)}-${String(index)}`,
        source: `/demo/${String(seed)}`,
        type: DEMO_EVENT_TYPE,
        subject: tenantId,
        time: new Date(hourMs + Math.floor((HOUR_MS * (index + random())) / count)).toISOString(),
        data: {
          tokens: Math.round(tokens * (0.5 + random())),
          model,
          user: `u${String(Math.floor(random() * USERS))}`,
        },
      };
    }
  }
}
