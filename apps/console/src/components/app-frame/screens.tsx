import Building2 from "lucide-react/icons/building-2";
import ChartColumn from "lucide-react/icons/chart-column";
import CreditCard from "lucide-react/icons/credit-card";
import KeyRound from "lucide-react/icons/key-round";
import Layers from "lucide-react/icons/layers";
import LayoutDashboard from "lucide-react/icons/layout-dashboard";
import Rocket from "lucide-react/icons/rocket";
import Sparkles from "lucide-react/icons/sparkles";

/** The signed-in screens, in the order of the navigation. */
export const SCREENS = [
  { to: "/overview", label: "Overview", Icon: LayoutDashboard, words: "home dashboard summary" },
  { to: "/quickstart", label: "Quickstart", Icon: Rocket, words: "start guide first call setup" },
  { to: "/api-keys", label: "API keys", Icon: KeyRound, words: "credentials revoke roll" },
  {
    to: "/analytics",
    label: "Analytics",
    Icon: ChartColumn,
    words: "usage requests latency errors",
  },
  {
    to: "/ai-intelligence",
    label: "AI intelligence",
    Icon: Sparkles,
    words: "insights forecast ask",
  },
  {
    to: "/plans",
    label: "Plans",
    Icon: Layers,
    words: "prices limits upgrade quotas",
  },
  { to: "/billings", label: "Billings", Icon: CreditCard, words: "invoices payment charges" },
  { to: "/tenants", label: "Tenants", Icon: Building2, words: "members roles team settings" },
] as const;

export type Screen = (typeof SCREENS)[number];

/** What the frame says of the screen that it shows. */
export type ShownScreen = { to: string; label: string };

/** Signed-in screens that a person is sent to, and that the navigation does not offer. */
const SIDE_SCREENS: readonly ShownScreen[] = [
  { to: "/account", label: "Your account" },
  { to: "/device", label: "Command lines" },
  { to: "/connect", label: "Connect an agent" },
];

/** The screen of a path; undefined for one that is none. */
export function findScreen(path: string): ShownScreen | undefined {
  const visited = path.replace(/\/+$/, "");
  return [...SCREENS, ...SIDE_SCREENS].find(({ to }) => to === visited);
}
