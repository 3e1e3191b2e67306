import { z } from "zod";

export const money = z.string().meta({
  description: "An amount in major units, exact, with the decimals of the currency.",
  examples: ["49.90"],
});
export const decimal = z.string().meta({ description: "An exact decimal.", examples: ["1200.5"] });
export const inputDecimal = z
  .string()
  .regex(/^\d{1,15}(\.\d{1,12})?$/, 'A decimal in quotes, such as "12.5".');
export const inputMoney = z
  .string()
  .regex(/^\d{1,12}(\.\d{1,12})?$/, 'A decimal amount in quotes, such as "49.90".');
