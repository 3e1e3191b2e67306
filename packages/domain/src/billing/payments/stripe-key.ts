const KEY = /^(?:sk|rk)_(live|test)_[A-Za-z0-9_]{8,}$/;

/**
 * Says why a key of Stripe cannot be used in an environment: live money must never depend on which variable a key was put into.
 *
 * @returns A sentence without the key; undefined for one that can be used.
 */
export function findStripeKeyMistake(
  key: string,
  environment: "live" | "test",
): string | undefined {
  const [, mode] = KEY.exec(key) ?? [];
  if (mode === undefined) {
    return "A restricted or secret key of Stripe, which begins with rk_ or sk_.";
  }
  return mode === environment
    ? undefined
    : `This is a key of Stripe's ${mode} mode. Here belongs one that begins with rk_${environment}_ or sk_${environment}_.`;
}
