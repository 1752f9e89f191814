import { Resolver } from 'node:dns/promises';

/** What the name servers say of the record that proves a domain. */
export type RecordAnswer =
  /** The texts of the TXT record; none where the name servers say that there is none. */
  | { readonly state: 'answered'; readonly values: readonly string[]; readonly problem: string | null }
  /** Nobody knows: no answer came, or one that says nothing. */
  | { readonly state: 'unknown'; readonly problem: string };

/** Asks the domain name system for the record of a domain. */
export type RecordLookup = (domain: string) => Promise<RecordAnswer>;

/** Milliseconds of one question, how often it is asked, and what the whole look-up may take, whatever the number of servers. */
const TIMEOUT = 1_500;
const TRIES = 2;
const DEADLINE = 7_000;

/** Answers that say for certain that there is no such record. */
const ABSENT = ['ENOTFOUND', 'ENODATA'];

/** The name of the record that proves `domain`: this one exactly, no parent's and no child's. */
export const recordName = (domain: string): string => `_palisade.${domain}`;

/** @param servers addresses with an optional port; those of the machine when absent */
export function createRecordLookup(servers: readonly string[] | undefined): RecordLookup {
  return async (domain) => {
    const resolver = new Resolver({ timeout: TIMEOUT, tries: TRIES });
    if (servers?.length) resolver.setServers(servers);
    const late = setTimeout(() => resolver.cancel(), DEADLINE);
    const name = recordName(domain);
    try {
      // an alias would let whoever has its target speak for this domain; a resolver follows it unseen
      const aliases = await orNone(resolver.resolveCname(name));
      if (aliases.length > 0) return { state: 'answered', values: [], problem: `${name} is an alias (CNAME): set the TXT record itself` };
      const values = (await orNone(resolver.resolveTxt(name))).map((chunks) => chunks.join(''));
      return { state: 'answered', values, problem: values.length === 0 ? `There is no TXT record at ${name}` : null };
    } catch {
      return { state: 'unknown', problem: `The name servers do not answer for ${name}` };
    } finally {
      clearTimeout(late);
    }
  };
}

async function orNone<T>(answer: Promise<T[]>): Promise<T[]> {
  return answer.catch((error: unknown) => {
    if (ABSENT.includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  });
}
