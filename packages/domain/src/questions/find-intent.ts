import { type Phrase, takeAll } from "./phrase.ts";

export type QuestionIntent = "explain" | "forecast" | "quota" | "invoice" | "advice" | "risk";

const words = (pattern: string) => new RegExp(`(?<![\\w#-])(?:${pattern})(?![\\w-])`);

const WHY = words(
  "why|how come|what (?:has |have )?(?:caused|causes|drove|drives|made|triggered|explains)|(?:the )?(?:root )?causes? (?:of|for)|(?:the )?reasons?(?: (?:for|behind|why|that))?|explain(?: why| me)?|explanation (?:for|of)|what (?:is|was|were|are|lies) behind|what led to|what happened(?: to| with)?|what (?:went|goes|is|has gone|is going) wrong(?: with)?|what (?:is|was) (?:up|going on|the matter|the (?:problem|issue|deal|story))(?: with)?|due to what|driving|causing|(?:is |are )?responsible for|since when (?:are|is|do|does|have|has)",
);
const FUTURE = words(
  "will|shall|forecast(?:s|ed|ing)?|predict(?:s|ed|ion|ions)?|project(?:ed|ion|ions)|expect(?:ed|ing)?|estimate[sd]?|going to|heading|headed|outlook|on track|on course|trajectory|extrapolate|likely|tomorrow|next (?:hour|day|week|month|quarter|year|\\w+ (?:hours|days|weeks|months))|by (?:the )?end of|by (?:the )?(?:day|week|month|quarter|year|period)[ -]end|by eo[dwmqy]|end up|would .* land|anticipated?|upcoming|at (?:this|the current|current|the present) (?:rate|pace|speed)|run rate",
);
const KEYS = words("keys?|credentials?");
const UNSAFE = words(
  "unused|not (?:been )?(?:used|touched|active)|never (?:been )?used|not used|stale|idle|dormant|risk|risky|risks|at risk|leaked|leaking|compromised|suspicious|unusual|exposed|inactive|forgotten|abandoned|orphaned|unsafe|insecure|dangerous|no(?:body| one|-one)|untouched|touched|(?<!(?:without|no|never|not|an) )expir(?:e|es|ed|ing|y)|stopped being used|no longer used|sitting around|clean up|(?:should|can|could|may) (?:we|i) (?:safely |still )?(?:revoke|retire|roll|rotate|remove|delete)|odd|strange|weird|rotat(?:e|ed|ion)|should be (?:revoked|retired|rolled|removed|deleted|replaced)|too old|old keys",
);
const SECURITY = words("security (?:risks?|issues?|problems?)|risky keys?|key (?:risks?|hygiene)");
const PLAN = words("plans?|tiers?|subscriptions?|packages?|#pplan");
/** Figures broken down by plan, rather than advice on one. */
const BY_PLAN = words(
  "(?:by|per|each|for each|across|over|between|of all|for all)(?: the| our)? (?:plans?|tiers?)",
);
const ADVICE = words(
  "best|right(?! now)|cheap|cheaper|cheapest|suits?|suitable|recommend(?:ed|ation)?|fits?|better|optimal|save|saves|saving|should|switch(?:ing)?|upgrad(?:e|ing)|downgrad(?:e|ing)|make sense|makes sense|worth|move|moving|pay less|less expensive|overpaying|too big|too small|enough for|good deal|appropriate|ideal|needs?|smaller|bigger|larger|get by|get away with|cope with|do with",
);
/** Customers that changed their plan, rather than a plan to change to. */
const DID_MOVE = words(
  "upgraded|downgraded|switched|moved|churned|how many|(?:customers|tenants|clients) (?:who|that)",
);
const PLAN_CUSTOMERS = words("#pplan (?:tenants|customers)");
const OVERPAY = words(
  "overpaying|over-paying|cheaper (?:plan|option|alternative|subscription|package|way|deal|choice)s?|(?:something|anything) cheaper|(?:wrong|better|other|another|different) (?:plan|package|subscription)s?|upgrade|downgrade|save (?:us )?(?:some )?money|(?:pay|spend) less|too expensive",
);
const QUOTA = words(
  "quotas?|allowances?|(?:prepaid |pre-paid |remaining )?(?:credits?|balance|prepaid)(?! (?:notes?|cards?))|(?:usage |monthly |plan |hard |request |token |#m\\d )?(?<!rate )(?<!rate-)limits?|cap|run(?:ning)? out(?: of)?|(?:do|have) (?:i|we) (?:still )?(?:have )?(?:any |enough |many |some )?(?:\\w+ )?(?:left|remaining)|left (?:this|for|until|in|of)|(?:is|are) (?:still )?left|remaining|(?:until|when|before|if|will|soon|days) .*\\bout of \\w+|us(?:e|es|ed|ing) up|max(?:ed)? out|headroom|left with|remains?|exhaust(?:s|ed|ing|ion)?|deplet(?:e|es|ed|ing)|(?:burn(?:ed|t|ing)?|go(?:ing)?|gone|went) through (?:all |my |our )+\\w+|enough (?:calls|requests|tokens|units)(?: left)?|(?:can|could|may) (?:i|we) still (?:make|send|do|use)|how many more (?:\\w+ )?(?:can|may|do|are)|(?:will|would|do|does) (?:all |my |our |the )+(?:\\w+ ){1,3}last(?! (?:week|month|quarter|year|day|hour|\\d))",
);
const BILL = words("bills?|invoices?|#m_invoice");
const NEXT_BILL = words(
  "will|going to|next|upcoming|coming|estimate[sd]?|expect(?:ed)?|look like|looking|forecast|predict(?:ed)?|project(?:ed)?|current|owe|how (?:high|big|large|much)|preview|draft so far|so far|be|my|our|this month|shaping up|come to",
);
const PAY = words("pay|owe|charged?|billed|cost (?:me|us)");
const WILL = words(
  "will|going to|expect|have to|do (?:i|we)(?! pay)|be|am i|are we|due|shall|would",
);
const PLURAL_BILLS = words(
  "(?:how many|number of|overdue|unpaid|paid|open|void|draft) (?:invoices|bills)|invoices",
);

/** What was invoiced is a figure; what will be is a forecast of the next invoice. */
const PAST_BILL = words(
  "(?:last|previous|past|earlier|latest|recent|first) (?:month |quarter |year |week )?(?:bills?|invoices?)|(?:did|was|were|have|had) .*(?:invoice[ds]?|bill(?:ed)?)",
);

/** What a plan that is named would cost, also when the tenant has another one. */
const WOULD = words("would|if");
const NAMED_PLAN = words("#pplan|(?:another|the next|that) plan");

/** Asks which plan is right, whether one costs too much, or what one would cost. */
function asksForAdvice(text: string): boolean {
  return (
    (PLAN.test(text) && ADVICE.test(text)) ||
    OVERPAY.test(text) ||
    (PAY.test(text) && WOULD.test(text) && NAMED_PLAN.test(text))
  );
}

/** Asks for figures of those who are on plans, or who changed theirs. */
function asksForCustomers(text: string): boolean {
  return DID_MOVE.test(text) || BY_PLAN.test(text) || PLAN_CUSTOMERS.test(text);
}

/** What a question asks for other than figures. Values are marks: `#pplan` is a plan. */
export function findIntent(text: string): QuestionIntent | undefined {
  if (WHY.test(text)) {
    return "explain";
  }
  if ((KEYS.test(text) && UNSAFE.test(text)) || SECURITY.test(text)) {
    return "risk";
  }
  if (asksForAdvice(text) && !asksForCustomers(text)) {
    return "advice";
  }
  if (QUOTA.test(text)) {
    return "quota";
  }
  const isBill =
    BILL.test(text) && NEXT_BILL.test(text) && !PLURAL_BILLS.test(text) && !PAST_BILL.test(text);
  if (isBill || (PAY.test(text) && WILL.test(text) && !/\bdid\b/.test(text))) {
    return "invoice";
  }
  return FUTURE.test(text) ? "forecast" : undefined;
}

const CHANGE = words(
  "jump(?:s|ed|ing)?|spik(?:e|es|ed|ing|y)|drop(?:s|ped|ping)?|fell|fall(?:s|ing|en)?|rise[sn]?|rising|rose|increas(?:e|es|ed|ing)|decreas(?:e|es|ed|ing)|declin(?:e|es|ed|ing)|up|down|higher|lower|so (?:many|much|high|low|few|bad|slow)|more|fewer|less|surg(?:e|es|ed|ing)|grow(?:s|n|ing|th)?|grew|chang(?:e|es|ed|ing)|sudden(?:ly)?|dip(?:s|ped)?|peak(?:s|ed)?|crash(?:ed)?|shot|climb(?:ed)?|doubl(?:e|ed)|halv(?:e|ed)|plung(?:e|ed)|soar(?:ed)?|tank(?:ed)?|big|bad|worse|better|sharp(?:ly)?|anomaly|unusual(?:ly)?|weird|odd|explod(?:e|ed)|collapse[d]?|out of|elevated|keep|keeps|stay|continue|burst|blip|swing",
);
const AHEAD = words(
  "will|shall|would|forecast(?:s|ed|ing)?|predict(?:s|ed|ion|ions)?|project(?:s|ed|ion|ions)?|expect(?:ed|ing)?|estimate[sd]?|going to|heading|headed|outlook|on track|on course|trajectory|extrapolate|likely|land|reach|end up|need|needs|anticipated?|upcoming|at (?:this|the current|current|the present) (?:rate|pace|speed)|run rate|finish|close at|expecting",
);

/** Takes the words of an intent out of a phrase, so that only its query remains. */
export function takeIntent(phrase: Phrase, intent: QuestionIntent): void {
  if (intent === "explain") {
    takeAll(phrase, WHY, "");
    takeAll(phrase, CHANGE, "");
  } else if (intent === "forecast") {
    takeAll(phrase, AHEAD, "");
    takeAll(phrase, CHANGE, "");
  }
}
