import { t } from "@lingui/core/macro";
import { REQUESTS_METER } from "@turnpike/domain/catalog/plan";

/** A meter as the catalogue has it. */
type NamedMeter = { meterId: string; name: string };

/** The name of the meter of requests before an operator chooses another one. */
const FIRST_NAME = "Requests";

/** What a meter is called: as its operator named it, and the one that the product brings along in the language of the page. */
export function nameMeter({ meterId, name }: NamedMeter): string {
  return meterId === REQUESTS_METER && name === FIRST_NAME ? t`Requests` : name;
}

/** What a meter of the catalogue is called; undefined for one that is not in it. */
export function findMeterName(
  meters: readonly NamedMeter[],
  id: string | undefined,
): string | undefined {
  const meter = meters.find(({ meterId }) => meterId === id);
  return meter && nameMeter(meter);
}
