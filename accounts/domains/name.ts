import { readFileSync } from 'node:fs';
import { domainToASCII } from 'node:url';
import { parse } from 'tldts';

const NAME = /^(?=.{1,243}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** Where everybody can have a mailbox; one domain a line. */
const MAIL_PROVIDERS: ReadonlySet<string> = new Set(
  readFileSync(new URL('../../subgraphs/identity/domains/mail-providers.txt', import.meta.url), 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#')),
);

/** The domain of an e-mail address. */
export const domainOf = (email: string): string => email.slice(email.lastIndexOf('@') + 1);

/**
 * A domain as somebody writes it, in lower case and in ASCII (IDNA).
 * @returns the domain, or why nobody can have it alone
 */
export function readDomain(text: string): { domain: string } | { problem: string } {
  const domain = domainToASCII(text.trim().replace(/\.$/, '').toLowerCase());
  if (!NAME.test(domain)) return { problem: 'must be a domain such as example.com' };
  // the list's private part, too: whoever has a name below github.io has nothing to say about its neighbours
  const { publicSuffix, domain: registrable, isIp } = parse(domain, { allowPrivateDomains: true });
  if (isIp) return { problem: 'must be a domain such as example.com' };
  if (registrable === null || publicSuffix === domain)
    return { problem: `${domain} is a public suffix, below which everybody can register names` };
  if (MAIL_PROVIDERS.has(domain) || MAIL_PROVIDERS.has(registrable))
    return { problem: `${domain} belongs to a mail provider, where everybody can have an address` };
  return { domain };
}
