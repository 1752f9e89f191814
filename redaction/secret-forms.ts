const INVISIBLE = /[\p{Cf}\p{Cc}\p{M}\u115f\u1160\u3164\uffa0]/gu;
/** The text in plain letters: full-width and invisible characters taken out. */
export const flatten = (text: string): string => text.normalize('NFKD').replace(INVISIBLE, '');

/** Secrets that are known by their form. Each part starts at a boundary and has no nested repetition: linear in the text. */
const FORMS = [
  String.raw`-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-\d|AGE-SECRET-KEY-1[A-Z0-9]{20,}`,
  String.raw`(?<![A-Z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Z0-9])|(?<![A-Za-z0-9])LTAI[A-Za-z0-9]{16,24}(?![A-Za-z0-9])`,
  String.raw`(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*`,
  String.raw`(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_\w{22,}|gl(?:pat|ptt|rt|dt|cbt|soat|ft|agent)-[\w-]{20,})`,
  String.raw`(?<![A-Za-z0-9])(?:xox[a-z]-[A-Za-z0-9-]{10,}|xapp-\d-[A-Za-z0-9-]{10,}|hooks\.slack\.com\/services\/T\w+\/B\w+\/\w{16,})`,
  String.raw`(?<![A-Za-z0-9])(?:[sr]k_(?:live|test)_[A-Za-z0-9]{10,}|psk_[0-9a-f]{12}_[\w-]{43}|whsec_[A-Za-z0-9+/=]{16,}|SG\.[\w-]{16,}\.[\w-]{16,})`,
  String.raw`(?<![A-Za-z0-9])(?:AIza[\w-]{35}|ya29\.[\w-]{20,}|GOCSPX-[\w-]{20,}|npm_[A-Za-z0-9]{36}|pypi-AgEI[\w-]{20,})`,
  String.raw`(?<![A-Za-z0-9])(?:do[opr]_v1_[a-f0-9]{40,}|shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}|hv[sbr]\.[\w-]{24,}|dapi[a-f0-9]{32})`,
  String.raw`(?<![A-Za-z0-9_-])(?:sk-[A-Za-z0-9]{32,}|sk-(?:proj|ant|svcacct)-[\w-]{20,}|hf_[A-Za-z]{30,}|glsa_\w{32,}|NRAK-[A-Z0-9]{27})`,
  String.raw`(?<![A-Za-z0-9])IQoJb3JpZ2luX2Vj[\w+/=]{40,}|(?<=[?&;]sig=)[A-Za-z0-9%+/]{40,}|(?<![\w~.-])\w{3}8Q~[\w~.-]{31,}`,
  String.raw`(?<=(?:AccountKey|SharedAccessKey|SharedSecret)=)[A-Za-z0-9+/]{16,}={0,2}|(?<=;\s?(?:Password|password|Pwd|PWD)\s?=\s?)(?![$<{*[])[^;\s"']{3,}`,
  String.raw`(?<=(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@"'<>]{0,100}:)(?![$<{*[])[^\s/@"'<>]{1,200}(?=@[\w[$])`,
  String.raw`(?<=(?:[Bb]earer|BEARER)\s)(?=[^\s"']{0,60}\d)[A-Za-z0-9._~+/=-]{16,}|(?<=[Aa]uthorization["']?\s?[:=]\s?["']?(?:Basic|Token|basic|token)\s)[A-Za-z0-9._~+/=-]{8,}`,
].join('|');
/** Matches a secret that is known by its form, and only the secret. */
export const SECRET_FORM = new RegExp(FORMS);
/** What every form of a secret contains; a text without any of it has none. Literals, so that the search is one quick pass. It must follow the forms. */
export const FORM_TRIGGERS = new RegExp(
  [
    'PRIVATE KEY|PuTTY-User|AGE-SECRET|AKIA|ASIA|ABIA|ACCA|LTAI|eyJ|gh[pousr]_|github_pat_|gl(?:pat|ptt|rt|dt|cbt|soat|ft|agent)-',
    'xox[a-z]-|xapp-|hooks\\.slack|[sr]k_(?:live|test)|psk_|whsec_|SG\\.|AIza|ya29\\.|GOCSPX-|npm_|pypi-|do[opr]_v1_|shp(?:at|ca|pa|ss)_|hv[sbr]\\.',
    'dapi|(?<![A-Za-z])sk-|hf_|glsa_|NRAK-|IQoJ|sig=|8Q~|AccountKey=|SharedAccessKey=|SharedSecret=|;\\s?[Pp](?:assword|wd|WD)',
    ':\\/\\/[^\\s/]{0,310}@|[Bb]earer\\s|BEARER\\s|[Aa]uthorization',
  ].join('|'),
);
/** Characters that may hide a secret's form. */
export const SUSPECT = /[\p{Cf}\uff01-\uff5e]|\u034f/u;

/**
 * Whether a text holds a secret that is known by its form: a private key block, an access key id, a JWT, a token with a vendor's
 * prefix, a password inside an address or a connection string. Certificates, digests and ARNs are not.
 */
export function isSecretValue(text: string): boolean {
  if (text.length < 8) return false;
  return (FORM_TRIGGERS.test(text) && SECRET_FORM.test(text)) || (SUSPECT.test(text) && SECRET_FORM.test(flatten(text)));
}
