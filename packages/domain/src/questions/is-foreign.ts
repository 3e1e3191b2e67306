import type { VocabularyIndex } from "./question-vocabulary.ts";
import { isKnownWord } from "./words.ts";

/**
 * Frequent words of questions in German, French, Spanish, Italian, Portuguese and Dutch that are no English words. A handful of words
 * is too little text for statistics of letters, and these decide it.
 */
const FOREIGN: ReadonlySet<string> = new Set(
  `wie viele viel wieviele welche welcher welches welchen warum wieso weshalb wann wer wo gibt gab ist sind haben hatte hatten wird
  werden wurde wurden kann ich wir mir mein meine meinen meiner unser unsere der das dem den des ein eine einen einer und oder nicht
  nach pro im zu bei mit auf für über seit gestern heute morgen woche wochen monat monate tag tage letzte letzten letzter diese diesen
  dieser dieses fehler anfragen anfrage aufrufe aufruf schlüssel rechnung kontingent abgelehnt langsamste langsamsten zeige zeig
  kostet kosten höchste meisten
  combien quel quelle quels quelles pourquoi quand est sont était ai avons les une des du dans sur avec mes mon ma nos notre le la et
  ou ne pas par hier aujourd'hui semaine mois jour jours dernier dernière derniers dernières cette ces erreurs erreur requêtes requête
  appels appel clé clés facture quota lente lent montre
  cuántos cuántas cuantos cuantas cuál cual cuáles qué que por cuándo cuando dónde es son fue fueron hay hubo tengo tenemos los las el
  del una con mis mi nuestro nuestra y sin ayer hoy semana mes día días último última últimos últimas esta este estas estos errores
  solicitudes peticiones llamadas clave claves factura ruta rutas lenta más
  quanti quante quale quali perché quando sono gli della dello ieri oggi settimana mese errori richieste chiamate chiavi
  quantos quantas qual quais por quê ontem hoje erros pedidos requisições chaves foram
  hoeveel welke waarom wanneer zijn heb hebben gisteren vandaag deze fouten verzoeken sleutel sleutels`.split(
    /\s+/,
  ),
);
/** Words of several languages, English among them, decide nothing. */
const SHARED: ReadonlySet<string> = new Set(["quota", "est", "den", "le", "la", "pro", "mis"]);
const LATIN = /\p{Script=Latin}/gu;
const LETTER = /\p{L}/gu;
const SHORT = 3;

const countOf = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;

/** True for a question in another language than English, as far as its words say so. Names of the vocabulary say nothing. */
export function isForeign(index: VocabularyIndex, question: string): boolean {
  const text = question.normalize("NFKC").toLowerCase();
  const letters = countOf(text, LETTER);
  if (letters > 0 && countOf(text, LATIN) * 2 < letters) {
    return true;
  }
  const isName = (word: string) =>
    index.names.has(word) || index.parts.has(word) || index.meterWords.has(word);
  const words = text.split(/[^\p{L}'’]+/u).filter((word) => word !== "" && !isName(word));
  const isOther = (word: string) => FOREIGN.has(word) && !SHARED.has(word);
  const foreign = words.filter(isOther).length;
  const english = words.filter((word) => !isOther(word) && isKnownWord(word)).length;
  return (foreign > 1 || (foreign === 1 && words.length <= SHORT)) && foreign >= english;
}
