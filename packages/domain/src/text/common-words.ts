/**
 * Words that many passwords are built around. A password of at least twelve characters that consists of one of them, with digits,
 * signs or a repetition around it, is among the first that attackers try.
 */
export const COMMON_WORDS: ReadonlySet<string> = new Set(
  `abc abcd abcdef admin administrator adminadmin access america asdf asdfgh asdfghjkl azerty azertyuiop baseball
  basketball batman blink butterfly changeme changemenow charlie chelsea chocolate computer correcthorsebatterystaple
  default demo dragon facebook football forgot forgotpassword freedom google guest hello helloworld hunter iloveyou
  iloveyousomuch ilovejesus internet jesuschrist jordan killer letmein letmeinnow liverpool login login loveme lovely
  manchesterunited master michael minecraft monkey mustang myspace mynameis mypassword mysecret ninja nopassword
  nothing onetwothree p passphrase password passwort motdepasse contrasena senha parola pokemon princess private
  qazwsx qazwsxedc qwer qwert qwerty qwertyui qwertyuiop qwertyuiopasdfgh qwertz qwertzuiop root samsung secret
  secretpassword server shadow soccer spiderman starwars strongpassword summer winter spring autumn sunshine superman
  superstar supersecret system temp temporary test tester testing testpassword thisisapassword thisismypassword trustno
  turnpike unbelievable unknown user username verysecret verysecure welcome welcomehome whatever windows
  yourpassword zaq zaqxsw zxcvbn zxcvbnm qaz wsx edc x q w`.split(/\s+/),
);

/** Keyboard rows and other typical sequences, read in both directions. */
export const SEQUENCES: readonly string[] = [
  "01234567890123456789",
  "abcdefghijklmnopqrstuvwxyz",
  "qwertyuiopasdfghjklzxcvbnm",
  "qwertzuiopasdfghjklyxcvbnm",
  "azertyuiopqsdfghjklmwxcvbn",
  "1q2w3e4r5t6y7u8i9o0p",
  "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik",
  "qazwsxedcrfvtgbyhnujmikolp",
  "zaq12wsxcde34rfvbgt5",
  "qweasdzxc",
  "!@#$%^&*()_+",
];
