export type City = {
  id: string;
  name: string;
  /** ISO 3166-1 alpha-2. */
  country: string;
  /** Degrees north. */
  latitude: number;
  /** Degrees east. */
  longitude: number;
};

/** Coordinates of the city centres to a hundredth of a degree, about a kilometre. */
export const CITIES: readonly City[] = [
  { id: "amsterdam", name: "Amsterdam", country: "NL", latitude: 52.37, longitude: 4.9 },
  { id: "athens", name: "Athens", country: "GR", latitude: 37.98, longitude: 23.73 },
  { id: "barcelona", name: "Barcelona", country: "ES", latitude: 41.39, longitude: 2.17 },
  { id: "berlin", name: "Berlin", country: "DE", latitude: 52.52, longitude: 13.41 },
  { id: "bern", name: "Bern", country: "CH", latitude: 46.95, longitude: 7.45 },
  { id: "brussels", name: "Brussels", country: "BE", latitude: 50.85, longitude: 4.35 },
  { id: "bucharest", name: "Bucharest", country: "RO", latitude: 44.43, longitude: 26.1 },
  { id: "budapest", name: "Budapest", country: "HU", latitude: 47.5, longitude: 19.04 },
  { id: "copenhagen", name: "Copenhagen", country: "DK", latitude: 55.68, longitude: 12.57 },
  { id: "dublin", name: "Dublin", country: "IE", latitude: 53.35, longitude: -6.26 },
  { id: "hamburg", name: "Hamburg", country: "DE", latitude: 53.55, longitude: 9.99 },
  { id: "helsinki", name: "Helsinki", country: "FI", latitude: 60.17, longitude: 24.94 },
  { id: "lisbon", name: "Lisbon", country: "PT", latitude: 38.72, longitude: -9.14 },
  { id: "london", name: "London", country: "GB", latitude: 51.51, longitude: -0.13 },
  { id: "lyon", name: "Lyon", country: "FR", latitude: 45.76, longitude: 4.84 },
  { id: "madrid", name: "Madrid", country: "ES", latitude: 40.42, longitude: -3.7 },
  { id: "milan", name: "Milan", country: "IT", latitude: 45.46, longitude: 9.19 },
  { id: "munich", name: "Munich", country: "DE", latitude: 48.14, longitude: 11.58 },
  { id: "new-york", name: "New York", country: "US", latitude: 40.71, longitude: -74.01 },
  { id: "oslo", name: "Oslo", country: "NO", latitude: 59.91, longitude: 10.75 },
  { id: "paris", name: "Paris", country: "FR", latitude: 48.86, longitude: 2.35 },
  { id: "prague", name: "Prague", country: "CZ", latitude: 50.08, longitude: 14.44 },
  { id: "rome", name: "Rome", country: "IT", latitude: 41.9, longitude: 12.5 },
  { id: "stockholm", name: "Stockholm", country: "SE", latitude: 59.33, longitude: 18.07 },
  { id: "sydney", name: "Sydney", country: "AU", latitude: -33.87, longitude: 151.21 },
  { id: "tokyo", name: "Tokyo", country: "JP", latitude: 35.68, longitude: 139.69 },
  { id: "vienna", name: "Vienna", country: "AT", latitude: 48.21, longitude: 16.37 },
  { id: "warsaw", name: "Warsaw", country: "PL", latitude: 52.23, longitude: 21.01 },
  { id: "zurich", name: "Zurich", country: "CH", latitude: 47.38, longitude: 8.54 },
];

const BY_ID = new Map(CITIES.map((city) => [city.id, city]));

export function findCity(id: string): City | undefined {
  return BY_ID.get(id);
}

/** Cities whose name starts with `query`, without regard to case; all of them for an empty query. */
export function searchCities(query: string): City[] {
  const start = query.trim().toLowerCase();
  return CITIES.filter((city) => city.name.toLowerCase().startsWith(start));
}
