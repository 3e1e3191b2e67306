/**
 * Text that is meant for a database or for a language model. There is neither behind the grammar, so nothing could happen; refusing is
 * clearer than answering the rest of the sentence.
 */
const HOSTILE: readonly RegExp[] = [
  /\bselect\s+(?:\*|distinct\b|count\s*\(|[\w.]+(?:\s*,\s*[\w.]+)*\s+from\s+(?!last|this|the|yest|today)\w)/,
  /\b(?:drop|truncate|alter|create)\s+(?:table|database|schema|user|role|view)\b/,
  /\b(?:insert\s+into|delete\s+from\s+\w|update\s+\w+\s+set|union\s+(?:all\s+)?select|grant\s+all|information_schema|pg_\w+|set\s+role)\b/,
  /['"]\s*(?:or|and)\s*['"]?\w+['"]?\s*(?:=|like)|\bor\s+1\s*=\s*1|(?:;|\/\*|--)\s*$|\bwhere\s+\w+\s*=|\bsleep\s*\(/,
  /\b(?:ignore|disregard|forget|override|bypass|skip|drop)\b.{0,40}\b(?:instructions?|rules?|prompts?|guidelines?|restrictions?|filters?|everything|polic(?:y|ies)|permissions?|isolation|guardrails?)\b/,
  /\b(?:system|hidden|initial|your) prompt|developer mode|debug mode|god mode|jailbreak|\bdan\b|you are (?:now|no longer)|you're (?:now|no longer)|\bpretend|role-?play|\bact (?:as|like)|imagine (?:you|that you)|language model|new (?:system )?instructions|override/,
  /<\/?[a-z|]+[^>]*>|\{\{|\$\{|\$\(|`|\\x|\\u|%27|&&|\|\||\brm -rf|\bcurl\b|\beval\b|\bexec\b|require\(|process\.env/,
  /\b(?:reveal|exfiltrat\w*|leak (?:me|the|us)|dump|sudo|superuser|root|hack\w*|exploit|impersonat\w*|escalate)\b/,
  /\b(?:secrets?|passwords?|passwd|connection strings?|env(?:ironment)? (?:variables?|vars?)|private keys?|clear ?text|plain ?text|hash(?:es|ed)?|cookies?|credit cards?|bearer|webhook signing)\b|\btenant_?id\b/,
  /\b(?:switch|log(?:ged)? ?in|sign(?:ed)? ?in|connect) (?:me )?(?:to|as|into) (?:tenant|another|other|the (?:other|database)|admin|operator)|\bas (?:an? )?(?:admin|administrator|operator|root|another tenant)\b|\bi am (?:the|an?) (?:admin|operator|owner|developer|ceo)\b|\b(?:another|other|someone else) ?(?:tenant|customer|compan)/,
];

/** Keywords in capitals are SQL; “select … from last week” is a person. */
const SHOUTED_SQL =
  /\bSELECT\b[\s\S]*\bFROM\b|\b(?:INSERT INTO|DELETE FROM|DROP TABLE|UNION SELECT)\b/;

/** True for text that tries to run a query language, to instruct a machine, or to read secrets. */
export function isHostile(question: string): boolean {
  if (SHOUTED_SQL.test(question)) {
    return true;
  }
  const text = question.toLowerCase().replace(/\s+/g, " ");
  return HOSTILE.some((pattern) => pattern.test(text));
}
