/** Groups the digits of a whole or decimal number by thousands: `9126` gives `9,126`. */
export function toGrouped(value: number | string): string {
  const [whole = "", fraction] = String(value).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}
