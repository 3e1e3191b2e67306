/**
 * Top-level domains that mail programs turn into links: those with many names, of countries, and of other scripts. Left out are those that are rather read as part of a name, such as `inc`, `ltd`,
 * `llc` and `gmbh`, and short words of programs, such as `prod`.
 *
 * @see https://www.iana.org/domains/root/db
 */
const GENERIC = `
academy accountants actor agency ai apartments app art asia associates attorney auction audio auto autos baby bank bar bargains
beauty beer best bet bid bike bingo bio biz black blog blue boats bond boo boutique broker build builders business buzz cab cafe
cam camera camp capital car cards care careers cars casa cash casino cat catering cc center ceo cfd charity chat cheap church city
claims cleaning click clinic clothing cloud club co coach codes coffee college com community company computer condos construction
consulting contact contractors cooking cool coop country coupons courses credit creditcard cricket cruises cyou dad dance date
dating day deals degree delivery democrat dental dentist design dev diamonds diet digital direct directory discount doctor dog
domains download earth eco education email energy engineer engineering enterprises equipment esq estate eus events exchange expert
exposed express fail faith family fan fans farm fashion film finance financial fish fishing fit fitness flights florist flowers
fm football forex forsale forum foundation fun fund furniture futbol fyi gallery game games garden gay gd gg gift gifts gives glass
global gold golf graphics gratis green gripe group guide guitars guru hair haus health healthcare help hiphop hiv hockey holdings
holiday homes horse hospital host hosting house how icu immo immobilien info ing ink institute insure international investments io
irish jetzt jewelry jobs juegos kaufen kids kim kitchen kiwi land lat law lawyer lease legal lgbt life lighting limited limo link
live lol london loan loans lotto ly love luxe luxury maison makeup management market marketing markets mba me media meme memorial men
menu miami mobi moda moe mom money monster mortgage motorcycles mov movie museum music name navy net network new news nexus ngo
ninja nrw nyc one ong onl online ooo org organic page paris partners parts party pay pet phd photo photography photos pics pictures
pink pizza place plumbing plus poker porn post press pro productions prof promo properties property protection pub qpon quest racing
realtor realty recipes red rehab reise reisen rent rentals repair report republican rest restaurant review reviews rich rip rocks
rodeo rsvp run sale salon sarl sbs school schule science security services sex sexy shiksha shoes shop shopping show singles site ski
skin soccer social software solar solutions space sport spot storage store stream studio study style sucks supplies supply support
surf surgery systems tattoo tax taxi team tech technology tel tennis theater theatre tickets tienda tips tires tirol today tokyo
tools top tours town toys trade trading training travel tube tv university uno vacations vegas ventures vet viajes video villas vin
vip vision vodka vote voyage wang watch watches web webcam website wedding wiki win wine work works world ws wtf xxx xyz yachts yoga
zip zone edu gov int mil arpa onion berlin hamburg koeln cologne bayern ruhr saarland wien swiss barcelona madrid istanbul moscow
`;
const COUNTRIES = `
ac ad ae af ag al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bm bn bo br bs bt bw by bz ca cd cf cg ch ci ck cl cm cn
cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg er es et eu fi fj fk fo fr ga gb gd ge gf gg gh gi gl gm gn gp gq gr gs gt gu gw gy
hk hm hn hr ht hu id ie il im in iq ir is it je jm jo jp ke kg kh ki km kn kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc md
mg mh mk ml mm mn mo mp mq mr ms mt mu mv mw mx my mz na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw
py qa re ro rs ru rw sa sb sc sd se sg sh si sk sl sm sn so sr ss st su sv sx sy sz tc td tf tg th tj tk tl tm tn to tr tt tw tz ua
ug uk us uy uz va vc ve vg vi vn vu wf ye yt za zm zw
`;
const OTHER_SCRIPTS = `
рф рус укр бел срб мкд мон қаз бг ею ком нет орг сайт онлайн москва дети ελ ευ հայ გე
中国 中國 公司 网络 网址 网站 在线 中文网 商城 网店 我爱你 移动 集团 香港 台湾 台灣 新加坡 みんな コム 世界 한국 닷컴 닷넷
भारत संगठन कॉम ไทย คอม مصر السعودية امارات ایران عمان المغرب الجزائر تونس قطر شبكة موقع بازار كوم پاکستان ישראל קום
`;

function toSet(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/));
}

const everywhere = toSet(GENERIC + OTHER_SCRIPTS);
const countries = toSet(COUNTRIES);

/**
 * True when a label, a dot and this ending could be the address of a website.
 *
 * A single letter before the ending of a country is rather an abbreviation, as in `will.i.am`: few countries give such
 * domains away, and those are in both lists.
 *
 * @param label - The label before the ending, or the end of it.
 */
export function isWebEnding(ending: string, label: string): boolean {
  const plain = ending.toLowerCase();
  return (
    everywhere.has(plain) ||
    plain.startsWith("xn--") ||
    (countries.has(plain) && [...label].length > 1)
  );
}
