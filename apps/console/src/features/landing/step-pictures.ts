import callDark from "./pictures/call-dark.webp";
import callLight from "./pictures/call-light.webp";
import keyDark from "./pictures/key-dark.webp";
import keyLight from "./pictures/key-light.webp";
import usageDark from "./pictures/usage-dark.webp";
import usageLight from "./pictures/usage-light.webp";

/** Taken of the running console by `tools/landing-pictures.ts`, 960 by 600 pixels. */
export const STEP_PICTURES = {
  key: { light: keyLight, dark: keyDark },
  call: { light: callLight, dark: callDark },
  usage: { light: usageLight, dark: usageDark },
} as const;
