/** A customer of one kind of invoices. Names and ids are invented; tax ids have the form of their country. */
export type DemoCustomer = {
  name: string;
  planId: "demo-daily" | "demo-daily-rates" | "demo-daily-yen";
  addressLines: string[];
  postalCode: string;
  city: string;
  country: string;
  /** Confirmed. */
  taxId: string | null;
  /** The text of a certificate. */
  exemption: string | null;
  hasCoupon: boolean;
  /** A part of every invoice but the last, which is credited as a whole. */
  isCredited: boolean;
  pricesInclude: "net" | "gross";
};

const PLAIN = {
  planId: "demo-daily",
  taxId: null,
  exemption: null,
  hasCoupon: false,
  isCredited: false,
  pricesInclude: "net",
} as const;

/** One for each kind of invoices that the rules for e-invoices tell apart, and for what changes sums. */
export const DEMO_CUSTOMERS: readonly DemoCustomer[] = [
  // Taxed at home.
  {
    ...PLAIN,
    name: "Nordlicht Rechner",
    addressLines: ["Am Deich 4"],
    postalCode: "20457",
    city: "Hamburg",
    country: "DE",
  },
  // Several rates.
  {
    ...PLAIN,
    planId: "demo-daily-rates",
    name: "Lesezeichen Verlag",
    addressLines: ["Buchgasse 12"],
    postalCode: "04109",
    city: "Leipzig",
    country: "DE",
  },
  // Reverse charge.
  {
    ...PLAIN,
    name: "Atelier Cartographe",
    addressLines: ["8 quai du Port", "Bâtiment B"],
    postalCode: "13002",
    city: "Marseille",
    country: "FR",
    taxId: "FR40303265045",
  },
  // A consumer elsewhere in the Union.
  {
    ...PLAIN,
    name: "Aino Korhonen",
    addressLines: ["Koivukuja 3"],
    postalCode: "00100",
    city: "Helsinki",
    country: "FI",
  },
  // Outside of the Union.
  {
    ...PLAIN,
    name: "Prairie Signal",
    addressLines: ["500 Grain Exchange Ave"],
    postalCode: "55415",
    city: "Minneapolis",
    country: "US",
  },
  // Exempt.
  {
    ...PLAIN,
    name: "Sternwarte am Hügel",
    addressLines: ["Sternweg 1"],
    postalCode: "99084",
    city: "Erfurt",
    country: "DE",
    exemption: "Exempt by certificate 2026-17",
  },
  // Discounts, over several rates.
  {
    ...PLAIN,
    planId: "demo-daily-rates",
    name: "Sparfuchs Daten",
    addressLines: ["Marktplatz 9"],
    postalCode: "70173",
    city: "Stuttgart",
    country: "DE",
    hasCoupon: true,
  },
  // Credit notes, over several rates.
  {
    ...PLAIN,
    planId: "demo-daily-rates",
    name: "Zweite Lesung",
    addressLines: ["Ringstraße 22"],
    postalCode: "50672",
    city: "Köln",
    country: "DE",
    isCredited: true,
  },
  // Credit notes of reverse charge, with discounts.
  {
    ...PLAIN,
    name: "Prądnik Systemy",
    addressLines: ["ul. Młynarska 7"],
    postalCode: "31-416",
    city: "Kraków",
    country: "PL",
    taxId: "PL5260001246",
    hasCoupon: true,
    isCredited: true,
  },
  // A currency without decimals, taxed.
  {
    ...PLAIN,
    planId: "demo-daily-yen",
    name: "Kirschblüte Handel",
    addressLines: ["Immermannstraße 30"],
    postalCode: "40210",
    city: "Düsseldorf",
    country: "DE",
    isCredited: true,
  },
  // Prices that include tax, with discounts over several rates.
  {
    ...PLAIN,
    planId: "demo-daily-rates",
    name: "Familie Brandt",
    addressLines: ["Gartenweg 5"],
    postalCode: "01067",
    city: "Dresden",
    country: "DE",
    hasCoupon: true,
    pricesInclude: "gross",
  },
];
