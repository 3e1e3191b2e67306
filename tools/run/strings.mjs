import { join } from "node:path";
import { ROOT } from "./paths.mjs";

const CONFIG = ["--config", "apps/console/lingui.config.ts"];
const lingui = (name) => join(ROOT, `node_modules/@lingui/cli/dist/${name}.js`);

/** Writes the strings in the code into the catalogues of the console. A translation of what is gone goes with it. */
export const EXTRACT_STRINGS = [lingui("lingui-extract"), "--clean", "--overwrite", ...CONFIG];

/** Checks that the catalogues have what the code has, and a translation of each. */
export const STRING_CHECKS = [
  {
    name: "strings: in the catalogues",
    args: [lingui("lingui-check"), "sync", "--clean", "--overwrite", ...CONFIG],
  },
  { name: "strings: translated", args: [lingui("lingui-check"), "missing", ...CONFIG] },
];
