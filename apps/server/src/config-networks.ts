import { isIP } from "node:net";
import { z } from "zod";

/** An address, or a range of them. */
export const cidr = z.string().refine((value) => {
  const [address = "", bits] = value.split("/");
  const bitsMax = isIP(address) === 6 ? 128 : 32;
  return (
    isIP(address) > 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= bitsMax))
  );
}, "An IP address or a range such as 10.0.0.0/8.");

export const hostName = z
  .string()
  .max(253)
  .regex(/^(?=.*[a-z])[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i, "A name such as hooks.internal.");
